//! InputDice, and changes of inputs by them.

/// Numbers that look random (SplitMix64), the same for each beginning.
#[derive(Clone, Debug)]
pub struct InputDice(u64);

/// Bytes that decoders look at.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff\xff\xff\xff\xff",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\0\0\0\0\0\0\0\x01",
    b"-",
    b"_",
    b".",
    b",",
    b";",
    b":",
    b"=",
    b"$",
    b"\"",
    b"\\",
    b"/",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\t",
    b" ",
    b"\r\n",
    b"#",
    b"-1",
    b"0",
    b"1e400",
    b"9223372036854775807",
    b"9223372036854775808",
    b"18446744073709551616",
    b"null",
    b"true",
    b"\\u0000",
    b"\\ud800",
    "\u{e9}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{ff21}".as_bytes(),
    "e\u{301}".as_bytes(),
    b"1970-01-01T00:00:00Z",
];

impl InputDice {
    /// InputDice that fall the same for the same seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of so many sides.
    pub fn roll(&mut self, sides: usize) -> usize {
        (self.next() % sides.max(1) as u64) as usize
    }

    /// Returns an input with one to four changes, among them pieces of another one, up to a length.
    pub fn changed(&mut self, input: &[u8], other: &[u8], length_max: usize) -> Vec<u8> {
        let mut bytes = input.to_vec();
        for _ in 0..=self.roll(4) {
            self.change(&mut bytes, other);
        }
        bytes.truncate(length_max);
        bytes
    }

    /// A piece of some bytes, rather short.
    fn piece(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.roll(length + 1);
        let most = if self.roll(4) == 0 { length - from } else { (length - from).min(8) };
        from..from + self.roll(most + 1)
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = self.roll(bytes.len() + 1);
        match self.roll(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.roll(8),
            1 if at < bytes.len() => bytes[at] = self.next() as u8,
            2 if at < bytes.len() => {
                bytes[at] = bytes[at].wrapping_add(if self.roll(2) == 0 { 1 } else { 255 });
            }
            3 => {
                let piece = self.piece(bytes.len());
                bytes.drain(piece);
            }
            4 => {
                let piece = self.piece(bytes.len());
                let again = bytes[piece].to_vec();
                bytes.splice(at..at, again);
            }
            5 => {
                let odd = ODD[self.roll(ODD.len())];
                bytes.splice(at..at, odd.iter().copied());
            }
            6 => {
                let odd = ODD[self.roll(ODD.len())];
                let end = (at + odd.len()).min(bytes.len());
                bytes.splice(at..end, odd.iter().copied());
            }
            7 => {
                let piece = self.piece(other.len());
                bytes.splice(at..at, other[piece].iter().copied());
            }
            8 => {
                let from = self.roll(other.len() + 1);
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
            _ => bytes.push(self.next() as u8),
        }
    }
}
