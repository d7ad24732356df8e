//! The generated code is that of the protos, with what `cargo xtask codegen` changes in it.

#[test]
fn lists_of_answers_are_there_when_they_are_empty() {
    for code in [
        include_str!("../../src/gen/guanxi.v1.relation.rs"),
        include_str!("../../src/gen/guanxi.v1.post.rs"),
        include_str!("../../src/gen/guanxi.v1.feed.rs"),
        include_str!("../../src/gen/guanxi.v1.admin.rs"),
        include_str!("../../src/gen/guanxi.v1.user.rs"),
    ] {
        assert!(!code.contains("is_empty_vec"), "the generator leaves out empty lists in a way of its own");
    }
}

/// The hash that `cargo xtask codegen` writes: FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn the_generated_code_is_of_these_protos() {
    let protos = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    let sources = include_str!("../../src/gen/sources.txt");
    assert!(sources.lines().count() >= 3);
    for line in sources.lines() {
        let (expected, name) = line.split_once(' ').unwrap();
        let actual = format!("{:016x}", hash(&std::fs::read(protos.join(name)).unwrap()));
        assert_eq!(actual, expected, "{name} changed: run `cargo xtask codegen` and commit what it writes");
    }
}
