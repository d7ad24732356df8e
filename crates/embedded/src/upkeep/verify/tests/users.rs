//! Rows of users that do not say the same are named.

use super::{Corrupt, corrupted, open};
use crate::engine::Table;
use crate::layout::*;
use guanxi_model::user::{PasswordHash, Profile, Registration, UserCommand};
use guanxi_model::{LoginName, PostId, Uid, User, Write};
use guanxi_ports::{DifferenceKind, Facts as _};

fn name(given: &str) -> LoginName {
    LoginName::new(given).unwrap()
}

fn uid() -> Uid {
    Uid::minted(PostId::EPOCH_MS + 1, 1, name("alice").gene()).unwrap()
}

#[tokio::test]
async fn a_user_without_its_other_rows_is_named() {
    let nameless: Corrupt = |_, batch| batch.remove(Table::Records, &login_name_key(&name("alice")));
    let wrong_name: Corrupt =
        |_, batch| batch.put(Table::Records, &login_name_key(&name("bob")), &encode_number(uid().get()));
    // Neither its name nor its password is anybody's then.
    let whole: Corrupt = |_, batch| batch.remove(Table::Records, &user_key(USER, uid()));
    let stray_password: Corrupt =
        |_, batch| batch.put(Table::Records, &user_key(PASSWORD, Uid::MIN), b"$argon2id$");
    let unreadable: Corrupt = |_, batch| batch.put(Table::Records, &user_key(USER, Uid::MIN), &[9]);
    let other_shard: Corrupt = |_, batch| {
        let uid = Uid::new(uid().get() ^ 1).unwrap();
        let user = User { login_name: Some(name("alice")), registered_ms: Some(1), ..User::unknown(uid) };
        batch.put(Table::Records, &user_key(USER, uid), &encode_user(&user));
    };
    let led_elsewhere: Corrupt =
        |_, batch| batch.put(Table::Records, &login_name_key(&name("alice")), &encode_number(7));
    let cases: [(&[Corrupt], usize); 8] = [
        (&[], 0),
        (&[nameless], 1),
        (&[wrong_name], 1),
        (&[whole], 2),
        (&[stray_password], 1),
        (&[unreadable], 1),
        (&[other_shard], 1),
        (&[led_elsewhere], 2),
    ];
    for (case, (corruptions, expected)) in cases.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let account = Registration {
            uid: uid(),
            login_name: name("alice"),
            password: Some(PasswordHash::new("$argon2id$".into()).unwrap()),
            profile: Profile::default(),
        };
        store.apply(Write::of(UserCommand::Register(account))).await.unwrap();
        store.close().await.unwrap();
        drop(store);
        let report = corrupted(dir.path(), corruptions).await;
        assert_eq!(report.differences_total, *expected as u64, "{case}: {:?}", report.differences);
        assert!(report.differences.iter().all(|found| found.kind == DifferenceKind::Undecodable));
    }
}
