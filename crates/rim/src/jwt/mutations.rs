//! Tokens that are almost right.

/// Numbers that look random, the same for each run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// One of so many sides.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }
}

/// A token with something else in it.
pub(crate) fn mutated(dice: &mut Dice, token: &str, other: &str) -> String {
    const ODD: &[&str] = &[".", "..", "=", "-", "_", "A", "é", "{", "\0", "none", "eyJhbGciOiJub25lIn0."];
    let mut bytes = token.to_owned();
    for _ in 0..=dice.roll(3) {
        let mut at = dice.roll(bytes.len() + 1);
        while !bytes.is_char_boundary(at) {
            at -= 1;
        }
        let odd = ODD[dice.roll(ODD.len())];
        match dice.roll(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert_str(at, odd),
            2 => drop(bytes.drain(..at)),
            3 => bytes.push_str(&other[dice.roll(other.len())..]),
            4 => {
                let (ours, theirs): (Vec<&str>, Vec<&str>) =
                    (bytes.split('.').collect(), other.split('.').collect());
                let swap = dice.roll(ours.len());
                let mixed = ours
                    .iter()
                    .enumerate()
                    .map(|(part, ours)| if part == swap { theirs.get(part).unwrap_or(ours) } else { ours });
                bytes = mixed.copied().collect::<Vec<_>>().join(".");
            }
            _ if at < bytes.len() => {
                let new = char::from(b"ABab01-_"[dice.roll(8)]);
                let old = bytes[at..].chars().next().expect("it is before the end");
                bytes.replace_range(at..at + old.len_utf8(), new.encode_utf8(&mut [0; 4]));
            }
            _ => {}
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}
