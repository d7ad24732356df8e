//! As much of DER as the operator's files take: keys and certificates. It never reads what callers send.

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OBJECT_ID: u8 = 0x06;
pub(crate) const UTC_TIME: u8 = 0x17;
pub(crate) const GENERALIZED_TIME: u8 = 0x18;
pub(crate) const SEQUENCE: u8 = 0x30;
/// The first field of a certificate, which has a number in place of a type.
pub(crate) const VERSION: u8 = 0xa0;

/// Takes one value of a tag from the front.
pub(crate) fn take<'a>(input: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    let (&[found, length], rest) = input.split_first_chunk()?;
    if found != tag {
        return None;
    }
    let (length, rest) = match length {
        0..=0x7f => (usize::from(length), rest),
        0x81 => rest.split_first().map(|(length, rest)| (usize::from(*length), rest))?,
        0x82 => rest.split_first_chunk().map(|(length, rest)| (u16::from_be_bytes(*length).into(), rest))?,
        _ => return None,
    };
    let (value, rest) = rest.split_at_checked(length)?;
    *input = rest;
    Some(value)
}

/// Takes the only value of a tag.
pub(crate) fn only(mut input: &[u8], tag: u8) -> Option<&[u8]> {
    take(&mut input, tag).filter(|_| input.is_empty())
}
