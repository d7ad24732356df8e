//! Hashes made, compared and renewed; the bounds of what is stored; the queue.

use super::stored::Stored;
use super::*;
use guanxi_model::ManualClock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use tokio::task::yield_now;
use tokio::time::timeout;
use zeroize::Zeroizing;

/// How long a test waits for what must happen.
const SOON: Duration = Duration::from_secs(20);

/// Of the reference implementation's tests: `password` with the salt `somesalt`.
const REFERENCE: &str =
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
/// The same of argon2i in its first version.
const OLD_REFERENCE: &str = "$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY";
/// Of the tests of crypt_blowfish: `U*U`.
const BCRYPT: &str = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

/// Randomness that differs with every call.
fn random() -> Random {
    let calls = AtomicU8::new(0);
    Arc::new(move || [calls.fetch_add(1, Ordering::Relaxed); 32])
}

fn start(options: PasswordOptions) -> Passwords {
    Passwords::start(options, Arc::new(ManualClock::new(1)), &random()).unwrap()
}

/// Threads whose hashes cost nothing.
fn cheap() -> Passwords {
    start(PasswordOptions { cost: Argon2Cost::LEAST, ..PasswordOptions::default() })
}

fn given(text: &str) -> Password {
    Password::given(text.to_owned(), None).unwrap()
}

/// Occupies the thread until the sender is dropped.
fn occupy(passwords: &Passwords) -> mpsc::Sender<()> {
    let (release, released) = mpsc::channel();
    let pool = passwords.pool.clone();
    let (starts, started) = mpsc::channel();
    tokio::spawn(async move {
        let occupied = pool.run(PasswordTurn::default(), move |_| {
            starts.send(()).expect("the test waits for it");
            let _ = released.recv();
            Ok(())
        });
        occupied.await
    });
    // The test's own thread waits; the task runs on the worker.
    started.recv_timeout(SOON).expect("the thread takes the work");
    release
}

/// A stored hash.
fn kept(text: &str) -> PasswordHash {
    PasswordHash::new(text.to_owned()).unwrap()
}

#[tokio::test]
async fn a_hash_is_argon2id_of_todays_parameters_with_a_salt_of_its_own() {
    let passwords = start(PasswordOptions::default());
    let hash = passwords.hash(given("correct horse"), PasswordTurn::default()).await.unwrap();
    let other = passwords.hash(given("correct horse"), PasswordTurn::default()).await.unwrap();
    let Stored::Argon2(parsed) = Stored::parse(hash.expose()).unwrap() else { panic!("not argon2") };
    assert!(hash.expose().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    assert_eq!(parsed.cost, Argon2Cost { memory_kib: 19_456, passes: 2, lanes: 1 });
    assert_eq!((parsed.salt.len(), parsed.output.len()), (16, 32));
    assert_ne!(hash, other);
    let verdict =
        passwords.verify(given("correct horse"), Some(hash.clone()), PasswordTurn::default()).await.unwrap();
    assert_eq!(verdict, PasswordVerdict::Right { renew: false });
    let verdict =
        passwords.verify(given("correct horsf"), Some(hash.clone()), PasswordTurn::default()).await.unwrap();
    assert_eq!(verdict, PasswordVerdict::Wrong);
}

#[tokio::test]
async fn hashes_from_elsewhere_are_verified_and_want_to_be_renewed() {
    let passwords = cheap();
    for (stored, password) in [(REFERENCE, "password"), (OLD_REFERENCE, "password"), (BCRYPT, "U*U")] {
        let verdict =
            passwords.verify(given(password), Some(kept(stored)), PasswordTurn::default()).await.unwrap();
        assert_eq!(verdict, PasswordVerdict::Right { renew: true }, "{stored}");
        let verdict =
            passwords.verify(given("passwore"), Some(kept(stored)), PasswordTurn::default()).await.unwrap();
        assert_eq!(verdict, PasswordVerdict::Wrong, "{stored}");
    }
    let today = passwords.hash(given("password"), PasswordTurn::default()).await.unwrap();
    let verdict = passwords.verify(given("password"), Some(today), PasswordTurn::default()).await.unwrap();
    assert_eq!(verdict, PasswordVerdict::Right { renew: false });
}

#[test]
fn a_hash_is_renewed_for_every_parameter_that_differs() {
    let today = Argon2Cost { memory_kib: 256, passes: 2, lanes: 1 };
    let salted =
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
    let outdated = |text: &str| Stored::parse(text).unwrap().is_outdated(today);
    assert!(!outdated(salted));
    for (from, to) in [
        ("argon2id", "argon2i"),
        ("v=19", "v=16"),
        ("m=256", "m=255"),
        ("t=2", "t=3"),
        ("p=1", "p=2"),
        ("c29tZXNhbHRzb21lc2FsdA", "c29tZXNhbHQ"),
        ("nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "nf65EOgLrQMR/uIPnA4rEg"),
    ] {
        assert!(outdated(&salted.replace(from, to)), "{to}");
    }
    assert!(outdated(BCRYPT));
}

#[test]
fn what_costs_too_much_or_is_damaged_is_not_run() {
    let argon2 = |cost: &str| REFERENCE.replace("m=256,t=2,p=1", cost);
    for text in [
        REFERENCE,
        OLD_REFERENCE,
        BCRYPT,
        &argon2("m=131072,t=8,p=16"),
        &argon2("m=65536,t=16,p=4"),
        &BCRYPT.replace("$05$", "$14$"),
    ] {
        assert_eq!(Passwords::check_hash(text), Ok(()), "{text}");
    }
    let long = format!("{REFERENCE}{}", "A".repeat(256));
    for text in [
        "",
        "password",
        "$argon2id$",
        &argon2("m=131073,t=2,p=1"),
        &argon2("m=256,t=17,p=1"),
        &argon2("m=256,t=2,p=17"),
        // Each within its bound, and all of them beyond a second.
        &argon2("m=131072,t=9,p=1"),
        &argon2("m=4294967295,t=4294967295,p=1"),
        &argon2("m=256,t=0,p=1"),
        &argon2("m=7,t=2,p=1"),
        &argon2("m=256,t=+2,p=1"),
        &argon2("m=256,t=2,p=1,data=AAAA"),
        &argon2("t=2,m=256,p=1"),
        &REFERENCE.replace("v=19", "v=20"),
        &REFERENCE.replace("argon2id", "argon2x"),
        &REFERENCE.replace("c29tZXNhbHQ", "c29tZQ"),
        &REFERENCE.replace("nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "nf65EOgLrQMR"),
        &REFERENCE.replace("nf65", "n!65"),
        &format!("{REFERENCE}$"),
        &long,
        &BCRYPT.replace("$05$", "$15$"),
        &BCRYPT.replace("$05$", "$03$"),
        &BCRYPT.replace("$2a$", "$2z$"),
        &BCRYPT[..59],
        "$2a$05$密密密密密密密密密密密密密密密密密密密密密密密密密密密",
    ] {
        let refused = Passwords::check_hash(text).unwrap_err();
        assert_eq!(refused.reason, Reason::PasswordHashUnusable, "{text}");
    }
    let told = Reason::PasswordHashUnusable.to_string();
    let limits = [
        format!("{} MiB", ARGON2_KIB_MAX / 1_024),
        format!("{ARGON2_PASSES_MAX} passes"),
        format!("{ARGON2_LANES_MAX} lanes"),
        format!("{} GiB in all", ARGON2_WORK_KIB_MAX / 1_024 / 1_024),
        format!("cost {BCRYPT_COST_MIN} to {BCRYPT_COST_MAX}"),
    ];
    assert!(limits.iter().all(|limit| told.contains(limit)), "{told}: {limits:?}");
}

#[tokio::test]
async fn nobody_and_a_wrong_password_cost_one_hash_each_of_the_same_cost() {
    let passwords = cheap();
    let stored = passwords.hash(given("correct horse"), PasswordTurn::default()).await.unwrap();
    let unusable = REFERENCE.replace("m=256", "m=131073");
    let mut costs = Vec::new();
    for stored in [Some(stored.clone()), None, Some(kept(&unusable)), Some(kept(""))] {
        let before = passwords.work();
        let verdict =
            passwords.verify(given("correct horsf"), stored, PasswordTurn::default()).await.unwrap();
        assert!(!matches!(verdict, PasswordVerdict::Right { .. }));
        let after = passwords.work();
        costs.push((after.hashes - before.hashes, after.argon2_kib - before.argon2_kib));
    }
    assert_eq!(costs, [(1, Argon2Cost::LEAST.work_kib()); 4]);
}

/// A text that is not in its normal form costs two hashes when it is wrong, with any stored hash. A hash of the text as it
/// was typed wants to be renewed.
#[tokio::test]
async fn the_normal_form_is_verified_first_and_then_what_was_typed() {
    let passwords = cheap();
    let both = |text: &str, normal: &str| {
        Password::given(text.to_owned(), Some(Zeroizing::new(normal.to_owned()))).unwrap()
    };
    let decomposed = both("cafe\u{301} au lait", "café au lait");
    let as_typed = passwords.hash(given("cafe\u{301} au lait"), PasswordTurn::default()).await.unwrap();
    let normal = passwords.hash(decomposed.clone(), PasswordTurn::default()).await.unwrap();
    let other = passwords.hash(given("cafe au lait"), PasswordTurn::default()).await.unwrap();
    for (password, stored, verdict, hashes) in [
        (&decomposed, Some(&normal), PasswordVerdict::Right { renew: false }, 1),
        (&given("café au lait"), Some(&normal), PasswordVerdict::Right { renew: false }, 1),
        (&decomposed, Some(&as_typed), PasswordVerdict::Right { renew: true }, 2),
        (&given("café au lait"), Some(&as_typed), PasswordVerdict::Wrong, 1),
        (&decomposed, Some(&other), PasswordVerdict::Wrong, 2),
        (&decomposed, Some(&kept("")), PasswordVerdict::Unusable, 2),
        (&decomposed, None, PasswordVerdict::Wrong, 2),
        (&both("same", "same"), None, PasswordVerdict::Wrong, 1),
    ] {
        let before = passwords.work().hashes;
        let found =
            passwords.verify(password.clone(), stored.cloned(), PasswordTurn::default()).await.unwrap();
        assert_eq!((found, passwords.work().hashes - before), (verdict, hashes));
    }
}

#[tokio::test]
async fn what_cannot_be_run_is_told_apart_for_the_operator() {
    let passwords = cheap();
    let stored = REFERENCE.replace("t=2", "t=17");
    let verdict =
        passwords.verify(given("password"), Some(kept(&stored)), PasswordTurn::default()).await.unwrap();
    assert_eq!(verdict, PasswordVerdict::Unusable);
    assert_eq!(
        passwords.verify(given("password"), None, PasswordTurn::default()).await.unwrap(),
        PasswordVerdict::Wrong
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_full_queue_refuses_at_once_and_whoever_left_is_skipped() {
    let passwords =
        start(PasswordOptions { queue: 2, cost: Argon2Cost::LEAST, ..PasswordOptions::default() });
    let release = occupy(&passwords);
    let ask = || {
        let passwords = passwords.clone();
        tokio::spawn(async move { passwords.verify(given("password"), None, PasswordTurn::default()).await })
    };
    let (stays, leaves) = (ask(), ask());
    while passwords.pool.waiting() < 2 {
        yield_now().await;
    }
    let refused = passwords.verify(given("password"), None, PasswordTurn::default()).await.unwrap_err();
    assert!(matches!(refused.reason, Reason::Overloaded { retry_after_ms: 1_000 }), "{refused}");
    leaves.abort();
    assert!(leaves.await.unwrap_err().is_cancelled());
    let before = passwords.work().hashes;
    drop(release);
    assert_eq!(stays.await.unwrap().unwrap(), PasswordVerdict::Wrong);
    // What comes after the one who left shows that its turn has passed.
    passwords.verify(given("password"), None, PasswordTurn::default()).await.unwrap();
    assert_eq!(passwords.work().hashes - before, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_cannot_be_hashed_in_time_is_not_hashed() {
    let clock = Arc::new(ManualClock::new(1));
    let options = PasswordOptions { cost: Argon2Cost::LEAST, few: usize::MAX, ..PasswordOptions::default() };
    let passwords = Passwords::start(options, clock.clone(), &random()).unwrap();
    let release = occupy(&passwords);
    let ask = |time_left| {
        let passwords = passwords.clone();
        let turn = PasswordTurn { queue: PasswordQueue::Familiar, time_left };
        tokio::spawn(async move { passwords.verify(given("password"), None, turn).await })
    };
    let (late, timely) = (ask(Some(Duration::from_millis(100))), ask(Some(Duration::from_millis(200))));
    while passwords.pool.waiting() < 2 {
        yield_now().await;
    }
    clock.advance(101);
    drop(release);
    let refused = late.await.unwrap().unwrap_err();
    assert!(matches!(refused.reason, Reason::Overloaded { .. }), "{refused}");
    assert_eq!(timely.await.unwrap().unwrap(), PasswordVerdict::Wrong);
    assert_eq!(passwords.work().hashes, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn strangers_fill_no_queue_but_their_own() {
    let options = PasswordOptions { queue: 1, cost: Argon2Cost::LEAST, few: 9, ..PasswordOptions::default() };
    let passwords = start(options);
    let release = occupy(&passwords);
    let stranger = ask(&passwords);
    while passwords.pool.waiting() < 1 {
        yield_now().await;
    }
    assert!(!passwords.admits(PasswordQueue::Strangers) && passwords.admits(PasswordQueue::Familiar));
    assert!(ask(&passwords).await.unwrap().is_err(), "it is full");
    let turn = PasswordTurn { queue: PasswordQueue::Familiar, time_left: None };
    let familiar = {
        let passwords = passwords.clone();
        tokio::spawn(async move { passwords.verify(given("password"), None, turn).await })
    };
    while passwords.pool.waiting() < 2 {
        yield_now().await;
    }
    drop(release);
    assert!(familiar.await.unwrap().is_ok() && stranger.await.unwrap().is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_flood_of_passwords_leaves_the_workers_of_calls_alone() {
    // One thread alone, which is held up.
    let options = PasswordOptions { cost: Argon2Cost::LEAST, few: usize::MAX, ..PasswordOptions::default() };
    let passwords = start(options);
    let release = occupy(&passwords);
    let flood: Vec<_> = (0..1_000)
        .map(|_| {
            let passwords = passwords.clone();
            tokio::spawn(async move {
                passwords.verify(given("password"), None, PasswordTurn::default()).await.is_ok()
            })
        })
        .collect();
    // The thread is held up, so a worker that waited for it would never come back to anything else.
    timeout(SOON, async {
        while passwords.pool.waiting() < PASSWORD_QUEUE_MAX {
            yield_now().await;
        }
        let call = tokio::spawn(async {
            for _ in 0..1_000 {
                yield_now().await;
            }
        });
        call.await.expect("nothing in it panics");
    })
    .await
    .expect("calls go on");
    drop(release);
    let mut answered = 0;
    for asked in flood {
        answered += usize::from(asked.await.unwrap());
    }
    assert!((PASSWORD_QUEUE_MAX..1_000).contains(&answered), "{answered}");
}

/// Asks to verify a password of an unknown user.
fn ask(passwords: &Passwords) -> tokio::task::JoinHandle<Result<PasswordVerdict>> {
    let passwords = passwords.clone();
    tokio::spawn(async move { passwords.verify(given("password"), None, PasswordTurn::default()).await })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn of_a_flood_the_patient_thread_takes_all_but_a_few() {
    let options = PasswordOptions { cost: Argon2Cost::LEAST, few: 1, ..PasswordOptions::default() };
    let passwords = start(options);
    let release = occupy(&passwords);
    let first = ask(&passwords);
    while passwords.pool.waiting() < 1 {
        yield_now().await;
    }
    let others = [ask(&passwords), ask(&passwords)];
    let verdict = timeout(SOON, first).await.expect("it takes what is too many").unwrap();
    assert_eq!(verdict.unwrap(), PasswordVerdict::Wrong);
    while passwords.work().hashes < 2 {
        yield_now().await;
    }
    assert_eq!(passwords.pool.waiting(), 1, "what is few waits for the prompt thread");
    drop(release);
    for asked in others {
        assert!(timeout(SOON, asked).await.expect("all are answered").unwrap().is_ok());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn of_a_flood_the_prompt_thread_takes_one_when_the_patient_one_gets_nowhere() {
    let clock = Arc::new(ManualClock::new(1));
    let options = PasswordOptions { cost: Argon2Cost::LEAST, few: 0, ..PasswordOptions::default() };
    let passwords = Passwords::start(options, clock.clone(), &random()).unwrap();
    let release = occupy(&passwords);
    let asked = ask(&passwords);
    while passwords.pool.waiting() < 1 {
        yield_now().await;
    }
    // It counts from when the patient thread took one, not from when the prompt one did.
    clock.advance(249);
    // Long enough for the prompt thread to look.
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(passwords.pool.waiting(), 1, "it is not its turn");
    clock.advance(1);
    let verdict = timeout(SOON, asked).await.expect("it is its turn").unwrap();
    assert_eq!(verdict.unwrap(), PasswordVerdict::Wrong);
    drop(release);
}

#[tokio::test]
async fn a_hash_that_panics_costs_its_caller_an_error_and_the_next_nothing() {
    let passwords = cheap();
    let failed = passwords
        .pool
        .run(PasswordTurn::default(), |_| -> Result<()> { panic!("on purpose") })
        .await
        .unwrap_err();
    assert_eq!(failed.reason, Reason::Internal);
    assert_eq!(
        passwords.verify(given("password"), None, PasswordTurn::default()).await.unwrap(),
        PasswordVerdict::Wrong
    );
}

#[tokio::test]
async fn the_threads_end_with_the_last_handle() {
    let passwords = cheap();
    let other = passwords.clone();
    passwords.hash(given("correct horse"), PasswordTurn::default()).await.unwrap();
    let alive = passwords.pool.alive();
    drop(passwords);
    other.hash(given("correct horse"), PasswordTurn::default()).await.unwrap();
    drop(other);
    let ended = async {
        while alive.strong_count() > 0 {
            yield_now().await;
        }
    };
    timeout(SOON, ended).await.expect("the threads end");
}

#[test]
fn no_cost_that_does_not_exist_is_started() {
    let cost = Argon2Cost { memory_kib: 7, passes: 1, lanes: 1 };
    let options = PasswordOptions { cost, ..PasswordOptions::default() };
    assert_eq!(
        Passwords::start(options, Arc::new(ManualClock::new(1)), &random()).unwrap_err().reason,
        Reason::Internal
    );
}
