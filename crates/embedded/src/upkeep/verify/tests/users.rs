//! Rows of users that do not say the same are named.

use super::{Corrupt, corrupted, open};
use crate::engine::Table;
use crate::layout::*;
use guanxi_model::user::{
    Contact, ContactClaim, ContactCommand, ContactKind, PasswordHash, Profile, Registration, UserCommand,
};
use guanxi_model::{LoginName, PostId, Stamp, Uid, User, Write};
use guanxi_ports::{DifferenceKind, Facts as _, Store as _};

fn name(given: &str) -> LoginName {
    LoginName::stored(given.to_owned())
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

fn phone(n: u8) -> Contact {
    Contact::stored(ContactKind::Phone, format!("+1415555{n:04}"))
}

fn claim_of(uid: Uid, confirmed: bool) -> Vec<u8> {
    encode_claim(&ContactClaim { uid, version: Stamp::from_ms(1), confirmed })
}

#[tokio::test]
async fn a_contact_and_its_claim_say_the_same() {
    let unclaimed: Corrupt = |_, batch| batch.remove(Table::Records, &claim_key(&phone(1)));
    let of_another: Corrupt =
        |_, batch| batch.put(Table::Records, &claim_key(&phone(1)), &claim_of(Uid::MIN, false));
    let confirmed_of_another: Corrupt =
        |_, batch| batch.put(Table::Records, &claim_key(&phone(1)), &claim_of(Uid::MIN, true));
    let left: Corrupt = |_, batch| batch.put(Table::Records, &claim_key(&phone(2)), &claim_of(uid(), true));
    let reserved: Corrupt =
        |_, batch| batch.put(Table::Records, &claim_key(&phone(2)), &claim_of(uid(), false));
    let unreadable: Corrupt = |_, batch| batch.put(Table::Records, &claim_key(&phone(2)), &[9]);
    let nobody: Corrupt = |_, batch| batch.remove(Table::Records, &user_key(USER, uid()));
    let cases: [(&[Corrupt], usize); 8] = [
        (&[], 0),
        (&[unclaimed], 1),
        (&[of_another], 1),
        (&[confirmed_of_another], 2),
        (&[left], 1),
        (&[reserved], 0),
        (&[unreadable], 1),
        (&[nobody], 1),
    ];
    for (case, (corruptions, expected)) in cases.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let step = async |command: ContactCommand| {
            let answer = store.apply(Write::of(UserCommand::from(command))).await.unwrap();
            assert_eq!(answer.user().unwrap().result, Ok(true));
        };
        let (contact, uid) = (phone(1), uid());
        step(ContactCommand::Reserve { contact: contact.clone(), uid }).await;
        let version = store.view(None).await.unwrap().claim_of(&contact).await.unwrap().unwrap().version;
        let reserved = version;
        step(ContactCommand::Bind { uid, contact: contact.clone(), expected_revision: 0, reserved }).await;
        step(ContactCommand::Confirm { contact, uid, version }).await;
        store.close().await.unwrap();
        drop(store);
        let report = corrupted(dir.path(), corruptions).await;
        assert_eq!(report.differences_total, *expected as u64, "{case}: {:?}", report.differences);
        // Operators of the server read a report; the digits of a phone number are not for them.
        let digits: String = "4155550001".bytes().map(|byte| format!("{byte:02x}")).collect();
        let report = format!("{report:?}");
        assert!(!report.contains("4155550") && !report.contains(&digits), "{report}");
    }
}
