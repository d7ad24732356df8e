//! The container of a list: compressed, an archive, or in another encoding.

/// Bytes of a list that are looked at before anything is decided. Also what a file of 4 KiB blocks gives at once.
pub const BLOCK_LEN: usize = 64 << 10;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    Plain,
    /// As gzip does.
    Gzip,
    /// As zstd does.
    Zstd,
}

impl Compression {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain text",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// How a file is compressed, by its first bytes.
    ///
    /// # Errors
    /// What it is, and what to do, when that cannot be read.
    pub fn of(head: &[u8]) -> Result<Self, String> {
        if head.starts_with(&[0x1f, 0x8b]) {
            return Ok(Self::Gzip);
        }
        if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            return if window_log(head).is_some_and(|log| log > WINDOW_LOG_MAX) {
                Err(TOO_WIDE.to_owned())
            } else {
                Ok(Self::Zstd)
            };
        }
        for (magic, name, command) in PACKED {
            if head.starts_with(magic) {
                return Err(format!(
                    "it is packed as {name}, which is not read; unpack it: {command} | guanxi import LIST - ..."
                ));
            }
        }
        Ok(Self::Plain)
    }
}

/// First bytes, the format's name, and a command that writes what is in it to standard output.
const PACKED: [(&[u8], &str, &str); 6] = [
    (b"PK\x03\x04", "zip", "unzip -p FILE NAME"),
    (b"PK\x05\x06", "zip", "unzip -p FILE NAME"),
    (b"BZh", "bzip2", "bzip2 -dc FILE"),
    (b"\xfd7zXZ\0", "xz", "xz -dc FILE"),
    (b"7z\xbc\xaf\x27\x1c", "7z", "7z x -so FILE NAME"),
    (b"\x04\x22\x4d\x18", "lz4", "lz4 -dc FILE"),
];

/// The binary logarithm of the largest window that is read: the default of zstd's own program, 128 MiB of memory.
const WINDOW_LOG_MAX: u32 = 27;
const TOO_WIDE: &str = "it is compressed by zstd with a window of more than 128 MiB (--long), which is not read; unpack it: zstd \
                        -dc --long=31 FILE | guanxi import LIST - ...";

/// Returns whether an error of the decompressor means a window that is too wide, in a later frame of the file.
pub fn is_too_wide(error: &std::io::Error) -> Option<&'static str> {
    error.to_string().contains("too much memory").then_some(TOO_WIDE)
}

/// The window of a zstd frame, as RFC 8878 has it in the frame's header; rounded up to a power of two.
fn window_log(head: &[u8]) -> Option<u32> {
    let descriptor = *head.get(4)?;
    let is_single_segment = descriptor & 0x20 != 0;
    if !is_single_segment {
        let window = *head.get(5)?;
        return Some(10 + u32::from(window >> 3) + u32::from(window & 7 != 0));
    }
    // The window is the content then, whose length comes after the id of a dictionary.
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let len = [1, 2, 4, 8][usize::from(descriptor >> 6)];
    let bytes = head.get(5 + dictionary..5 + dictionary + len)?;
    let size = bytes.iter().rev().fold(0_u64, |size, byte| size << 8 | u64::from(*byte));
    Some(size.checked_next_power_of_two().map_or(64, u64::trailing_zeros))
}

/// Why the first bytes of a list, unpacked, are no text in UTF-8 that lines can be cut from.
pub(super) fn not_readable(block: &[u8]) -> Option<String> {
    const MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
    // Letters of Latin scripts have a zero beside them in UTF-16.
    let zeros = block.iter().take(256).filter(|byte| **byte == 0).count();
    if MARKS.iter().any(|mark| block.starts_with(mark))
        || (block.len() >= 8 && zeros * 3 >= block.len().min(256))
    {
        return Some(
            "it is in UTF-16, and UTF-8 is read; convert it: iconv -f UTF-16 -t UTF-8 FILE | guanxi import LIST - ..."
                .to_owned(),
        );
    }
    if block.get(257..262) == Some(b"ustar") {
        return Some(
            "it is a tar archive, and a list is read; take the list out: tar -xOf FILE NAME | guanxi import LIST - ..."
                .to_owned(),
        );
    }
    if let Err(packed) = Compression::of(block) {
        return Some(packed);
    }
    if Compression::of(block) != Ok(Compression::Plain) {
        return Some("it is compressed twice; unpack it once".to_owned());
    }
    if block.contains(&0) {
        return Some(
            "it holds bytes of zero, so it is no list but a binary file; export the list as text".to_owned(),
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn what_cannot_be_read_is_named_with_what_to_do() {
        let cases: [(&[u8], &str); 8] = [
            (b"PK\x03\x04rest", "zip"),
            (b"BZh91AY", "bzip2 -dc"),
            (b"\xfd7zXZ\0\0", "xz -dc"),
            (b"7z\xbc\xaf\x27\x1c", "7z"),
            (b"\xff\xfe1\0,\0", "iconv -f UTF-16"),
            (b"\xfe\xff\x001", "iconv -f UTF-16"),
            (b"1\0,\x002\0\n\x003\0,\x004\0\n\0", "iconv -f UTF-16"),
            (b"1,2\n\0", "binary file"),
        ];
        for (bytes, told) in cases {
            let found = not_readable(bytes);
            assert!(found.as_ref().is_some_and(|text| text.contains(told)), "{told}: {found:?}");
        }
        let mut tar = vec![b'a'; 512];
        tar[257..262].copy_from_slice(b"ustar");
        assert!(not_readable(&tar).is_some_and(|text| text.contains("tar -xOf")));
        assert_eq!(not_readable("1,2\n关注,5\n".as_bytes()), None);
        assert_eq!(not_readable(b""), None);
    }

    #[test]
    fn windows_of_zstd_are_read_up_to_128_mebibytes() {
        let packed = |log: u32, text: &[u8]| {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(log).unwrap();
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        assert_eq!(Compression::of(&packed(27, b"1 2")), Ok(Compression::Zstd));
        assert!(Compression::of(&packed(28, b"1 2")).is_err_and(|text| text.contains("--long=31")));
        assert_eq!(Compression::of(&zstd::encode_all(&b"1 2"[..], 3).unwrap()), Ok(Compression::Zstd));
        // One segment of a gibibyte.
        assert!(Compression::of(b"\x28\xb5\x2f\xfd\xa0\0\0\0\x40").is_err());
        assert_eq!(Compression::of(b"\x1f\x8b\x08"), Ok(Compression::Gzip));
        assert_eq!(Compression::of(b"1 2"), Ok(Compression::Plain));
    }
}
