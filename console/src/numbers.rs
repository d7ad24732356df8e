//! Numbers for people.

/// A number with its thousands apart.
pub(crate) fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut apart = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            apart.push(',');
        }
        apart.push(digit);
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let shown = [0, 12, 999, 1_000, 12_345, 1_234_567, u64::MAX].map(number);
        assert_eq!(
            shown,
            ["0", "12", "999", "1,000", "12,345", "1,234,567", "18,446,744,073,709,551,615"]
                .map(str::to_owned)
        );
    }
}
