//! A fuzz target of stored hashes, which imported users bring.

use guanxi_fuzz::{came_to, fuzz};
use guanxi_model::limits::PASSWORD_HASH_LEN_MAX;

use super::stored::{ARGON2_KIB_MAX, ARGON2_WORK_KIB_MAX, Stored};
use super::{Argon2Cost, BCRYPT_COST_MAX};

#[test]
fn hashes_are_refused_or_cost_a_bounded_amount() {
    let seeds: [&[u8]; 4] = [
        b"$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        b"$argon2i$m=65536,t=3,p=4$c29tZXNhbHQ$AAECAwQFBgcICQoLDA0ODw",
        b"$2b$12$LQv3c1yqBWVHxkd0LHAkCOYz6TtxMQJqhN8/LewKyNiGQe0n6lH1W",
        b"$2y$10$LQv3c1yqBWVHxkd0LHAkCOYz6TtxMQJqhN8/LewKyNiGQe0n6lH1W",
    ];
    fuzz("password_hashes", &seeds, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let stored = Stored::parse(&text);
        let outdated = stored.as_ref().map(|stored| stored.is_outdated(Argon2Cost::TODAY)).ok();
        let kind = match stored {
            Err(_) => came_to((0, text.split('$').map(|part| part.len().min(8)).collect::<Vec<_>>())),
            Ok(Stored::Argon2(hash)) => {
                assert!(text.len() <= PASSWORD_HASH_LEN_MAX as usize);
                assert!(
                    hash.cost.memory_kib <= ARGON2_KIB_MAX
                        && hash.cost.work_kib() <= ARGON2_WORK_KIB_MAX.into()
                );
                assert!(hash.params().is_some(), "{text}");
                let written = hash.to_text();
                let Ok(Stored::Argon2(again)) = Stored::parse(&written) else { panic!("{written}") };
                assert_eq!((again.to_text(), again.salt, again.output), (written, hash.salt, hash.output));
                came_to((1, hash.algorithm.as_str(), hash.cost.lanes, hash.cost.passes))
            }
            Ok(Stored::Bcrypt(kept)) => {
                assert_eq!(kept, text);
                let cost: u32 =
                    text.split('$').nth(2).and_then(|cost| cost.parse().ok()).expect("it has a cost");
                assert!(cost <= BCRYPT_COST_MAX);
                came_to((2, cost, &text[..3]))
            }
        };
        came_to((kind, outdated))
    });
}
