//! The stored form of the outcome of a command: whether it changed anything, or why it was refused.

use super::varint::{get_varint, put_varint};
use crate::Reason;
use crate::bytes::Reader;
use crate::error::{Value, ValueKind};

// The bytes of one domain lie below, and what begins the outcomes of posts and of several domains above.
const _: () = {
    let mut n = 0;
    while n < Reason::ALL.len() {
        assert!(
            matches!(Reason::ALL[n].1, 0x20..0x80),
            "the stored byte of a reason is between 0x20 and 0x7f"
        );
        n += 1;
    }
};

/// A reason without its number, and the number.
fn split_number(mut reason: Reason) -> (Reason, Option<u32>) {
    let number = number_of(&mut reason).map(std::mem::take);
    (reason, number)
}

/// The number of a reason, if it has one.
const fn number_of(reason: &mut Reason) -> Option<&mut u32> {
    match reason {
        Reason::RevisionMismatch { revision } => Some(revision),
        Reason::LimitReached { limit }
        | Reason::TextTooLong { limit }
        | Reason::BatchTooLarge { limit }
        | Reason::TooLong { limit, .. } => Some(limit),
        _ => None,
    }
}

/// Puts a result: 0, 1, the byte that the domain has for a reason with its number, or the reason's own byte with its values. `between`
/// stands after the byte.
pub(super) fn put_result(
    out: &mut Vec<u8>,
    of_domain: &[(u8, Reason)],
    result: &Result<bool, Reason>,
    between: Option<u8>,
) {
    let reason = match result {
        Ok(changed) => {
            out.push(u8::from(*changed));
            out.extend(between);
            return;
        }
        Err(reason) => reason,
    };
    let (bare, number) = split_number(reason.clone());
    if let Some((tag, _)) = of_domain.iter().find(|(_, reason)| *reason == bare) {
        out.push(*tag);
        out.extend(between);
        out.extend(number.into_iter().flat_map(u32::to_be_bytes));
        return;
    }
    out.push(reason.stored());
    out.extend(between);
    for (_, value) in reason.values() {
        match value {
            Value::Name(name) => {
                put_varint(out, name.len() as u64);
                out.extend(name.as_bytes());
            }
            Value::Number(number) => put_varint(out, number),
            Value::Text(text) => {
                put_varint(out, text.len() as u64);
                out.extend(text.as_bytes());
            }
        }
    }
}

/// Reads the result whose first byte is `tag`.
pub(super) fn get_result(
    reader: &mut Reader<'_>,
    of_domain: &[(u8, Reason)],
    tag: u8,
) -> Option<Result<bool, Reason>> {
    if tag < 2 {
        return Some(Ok(tag == 1));
    }
    if let Some((_, reason)) = of_domain.iter().find(|(known, _)| *known == tag) {
        let mut reason = reason.clone();
        if let Some(number) = number_of(&mut reason) {
            *number = reader.u32()?;
        }
        return Some(Err(reason));
    }
    let reason = Reason::of_stored(tag, |_, kind| match kind {
        ValueKind::Name | ValueKind::Text => {
            let len = usize::try_from(get_varint(reader)?).ok()?;
            Value::parse(kind, std::str::from_utf8(reader.take(len)?).ok()?)
        }
        ValueKind::Number => Some(Value::Number(get_varint(reader)?)),
    });
    reason.map(Err)
}
