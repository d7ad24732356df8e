//! The world answers every call that is counted.

use super::*;

#[test]
fn every_call_is_answered_by_the_world() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("world");
    let count = child::CHECKED;
    runtime().unwrap().block_on(async {
        world::create(&data).await.unwrap();
        let (_store, router) = server::open(&data).await.unwrap();
        for kind in Kind::ALL {
            for call in kind.calls(count, &world::Token::new()) {
                let body = child::answer(router.clone(), call).await.unwrap();
                assert!(kind.is_answered_by(&body), "{kind:?}");
            }
        }
    });
}

#[test]
fn a_directory_is_copied_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (from, to) = (dir.path().join("from"), dir.path().join("to"));
    std::fs::create_dir_all(from.join("sub")).unwrap();
    std::fs::write(from.join("sub/file"), "text").unwrap();
    copy(&from, &to).unwrap();
    assert_eq!(std::fs::read_to_string(to.join("sub/file")).unwrap(), "text");
}
