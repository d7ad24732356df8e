//! The trace that a request belongs to, as the header `traceparent` of the W3C says it.

use std::fmt;

use http::HeaderValue;

/// Bytes of a header of version 00.
const LEN: usize = 55;

/// A place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace; never all zero.
    pub trace: [u8; 16],
    /// The span that calls; never all zero.
    pub span: [u8; 8],
    /// The flags as they came; the lowest says that the caller keeps this trace.
    pub flags: u8,
}

impl TraceContext {
    /// Reads a header; `None` for one that must be ignored.
    pub fn parse(header: &[u8]) -> Option<Self> {
        let (known, rest) = header.split_at_checked(LEN)?;
        let [version] = hex(&known[..2])?;
        // Later versions only add fields, behind another dash.
        let whole = if version == 0 { rest.is_empty() } else { rest.is_empty() || rest[0] == b'-' };
        let dashes = [2, 35, 52].iter().all(|at| known[*at] == b'-');
        let ([flags], trace, span) = (hex(&known[53..])?, hex(&known[3..35])?, hex(&known[36..52])?);
        let named = trace != [0; 16] && span != [0; 8];
        (version != 0xff && whole && dashes && named).then_some(Self { trace, span, flags })
    }

    /// Returns the header that hands it on.
    pub fn header(&self) -> HeaderValue {
        let text = format!("00-{}-{}-{:02x}", Hex(&self.trace), Hex(&self.span), self.flags);
        HeaderValue::from_str(&text).expect("hex digits are visible")
    }

    /// Returns the id of the trace, for logs.
    pub const fn trace_id(&self) -> TraceId<'_> {
        TraceId(&self.trace)
    }

    /// Returns whether the caller keeps this trace.
    pub const fn is_sampled(&self) -> bool {
        self.flags & 1 == 1
    }
}

/// The id of a trace, as logs show it.
#[derive(Clone, Copy, Debug)]
pub struct TraceId<'a>(&'a [u8; 16]);

impl fmt::Display for TraceId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(self.0).fmt(f)
    }
}

/// Bytes as lower-case hex digits.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Reads lower-case hex digits; the standard knows no capitals.
fn hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_context_is_read_and_handed_on() {
        let context = TraceContext::parse(HEADER.as_bytes()).unwrap();
        assert!(context.is_sampled());
        assert_eq!(context.trace_id().to_string(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(context.header(), HEADER);
        let later = HEADER.replacen("00", "cc", 1);
        assert!(TraceContext::parse(later.as_bytes()).is_some());
        assert_eq!(TraceContext::parse(format!("{later}-more").as_bytes()).unwrap().header(), HEADER);
    }

    #[test]
    fn what_is_no_context_is_ignored() {
        let zero_trace = HEADER.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32));
        let zero_span = HEADER.replace("b7ad6b7169203331", &"0".repeat(16));
        let (longer, capital) = (format!("{HEADER}-x"), HEADER.to_uppercase());
        let (version, dash) = (HEADER.replacen("00", "ff", 1), HEADER.replace('-', "_"));
        for bad in ["", "00", &HEADER[..54], &longer, &capital, &version, &dash, &zero_trace, &zero_span] {
            assert_eq!(TraceContext::parse(bad.as_bytes()), None, "{bad}");
        }
    }
}
