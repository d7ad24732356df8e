//! A fuzz target of backups: bytes as they are, and with right checksums around them.

use guanxi_fuzz::{came_to, fuzz};
use guanxi_model::{HistoryId, Stamp};

use crate::format::{
    DumpError, DumpHeader, DumpReader, DumpSection, DumpWriter, DumpedRows, RowError, checksum,
};
use crate::layout::FORMAT_VERSION;

const SECTIONS: [DumpSection; 3] = [DumpSection::Forward, DumpSection::Records, DumpSection::Posts];

/// A backup of a few rows.
fn backup() -> Vec<u8> {
    let mut bytes = Vec::new();
    let header =
        DumpHeader { layout: FORMAT_VERSION, history: HistoryId(1), seq: 2, clock: Stamp::ZERO, logs: None };
    let mut writer = DumpWriter::new(&mut bytes, &header).expect("a backup in memory");
    for section in SECTIONS {
        writer.row(section, b"a", b"one").expect("a backup in memory");
        writer.row(section, b"b", b"").expect("a backup in memory");
        writer.end_section().expect("a backup in memory");
    }
    writer.finish().expect("a backup in memory");
    bytes
}

/// Returns what is within the frame of a backup, with the checksums of its chunks made right.
fn framed(chunks: &[u8]) -> Vec<u8> {
    let (mut sound, mut rest, mut number) = (Vec::new(), chunks, 0);
    while let Some((head, tail)) = rest.split_first_chunk::<5>() {
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        sound.extend(head);
        let Some((payload, tail)) = tail.split_at_checked(length) else { break };
        sound.extend(payload);
        sound.extend(checksum(number, head[0], payload).to_be_bytes());
        rest = tail.get(8..).unwrap_or_default();
        number += 1;
    }
    sound.extend(rest);
    [b"guanxi-dump 3\n", zstd::encode_all(sound.as_slice(), 1).expect("a backup in memory").as_slice()]
        .concat()
}

fn read(mut bytes: &[u8]) -> Result<(DumpedRows, usize), DumpError> {
    let mut reader = DumpReader::new(&mut bytes)?;
    let (mut taken, mut last) = (0, Vec::new());
    for section in SECTIONS {
        last.clear();
        reader.rows(section, |key, value| {
            assert!(*key > last[..], "rows come in order");
            last = key.to_vec();
            taken += key.len() + value.len();
            if value == b"refuse" { Err(RowError::Damaged) } else { Ok(()) }
        })?;
    }
    Ok((reader.finish()?, taken))
}

#[test]
fn backups_are_refused_or_read_to_their_end() {
    let whole = backup();
    assert_eq!(read(&whole).expect("a backup in memory").0, DumpedRows { forward: 2, records: 2, posts: 2 });
    let start = whole.iter().position(|byte| *byte == b'\n').expect("a backup in memory") + 1;
    let chunks = zstd::decode_all(&whole[start..]).expect("a backup in memory");
    assert_eq!(
        read(&framed(&chunks)).expect("a backup in memory").0,
        DumpedRows { forward: 2, records: 2, posts: 2 }
    );
    let (plain, inside) = ([&[0][..], &whole].concat(), [&[1][..], &chunks].concat());
    fuzz("backups", &[&plain, &inside], |bytes| {
        let Some((first, rest)) = bytes.split_first() else { return 0 };
        let bytes = if first & 1 == 0 { rest.to_vec() } else { framed(rest) };
        let outcome = read(&bytes);
        let told = match outcome {
            Ok((counts, taken)) => {
                assert!(taken <= rest.len(), "{taken} bytes of {}", rest.len());
                format!("{counts:?}")
            }
            Err(DumpError::Damaged { chunk, detail, .. }) => format!("{} {detail}", chunk.min(9)),
            Err(DumpError::Newer(_)) => "newer".to_owned(),
            Err(DumpError::Older(_)) => "older".to_owned(),
            Err(other) => other.to_string(),
        };
        came_to((first & 1, told))
    });
}
