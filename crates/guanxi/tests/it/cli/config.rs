//! The configuration: precedence, sources, mistakes.

use super::run::{Ran, Scratch, guanxi, run};

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_file() {
    let scratch = Scratch::new();
    let file =
        scratch.file("guanxi.toml", "follow_limit = 10\nmemtable_mib = 8\njournal_mib = 9\ntoken = 'hush'\n");
    let mut command = guanxi();
    command.args(["config", "--json", "--config", &file, "--journal-mib", "11"]);
    command.env("GUANXI_MEMTABLE_MIB", "12").env("GUANXI_JOURNAL_MIB", "13");
    let ran = Ran::of(&mut command);
    let json = ran.json();
    let pair = |key: &str| (json[key]["value"].clone(), json[key]["source"].as_str().unwrap().to_owned());
    assert_eq!(pair("follow_limit"), (10.into(), format!("file {file}")));
    assert_eq!(pair("memtable_mib"), (12.into(), "env GUANXI_MEMTABLE_MIB".into()));
    assert_eq!(pair("journal_mib"), (11.into(), "flag --journal-mib".into()));
    assert_eq!(pair("durability"), ("sync".into(), "default".into()));
    assert!(!ran.stdout.contains("hush"), "a secret is shown: {ran:?}");
}

#[test]
fn what_is_printed_is_a_configuration_again() {
    let scratch = Scratch::new();
    let printed = run(&["config", "--follow-limit", "77", "--cors-origins", "https://a.example"]);
    let file = scratch.file("guanxi.toml", &printed.stdout);
    let json = run(&["config", "--json", "--config", &file]).json();
    assert_eq!(json["follow_limit"]["value"], 77);
    assert_eq!(json["cors_origins"]["value"][0], "https://a.example");
}

#[test]
fn the_memory_that_caches_may_take_is_summed_up() {
    let bounds = [
        "user_cache_mib",
        "block_cache_mib",
        "author_cache_mib",
        "item_cache_mib",
        "inbox_mib",
        "search_memory_mib",
    ];
    let json = run(&["config", "--json", "--inbox-mib", "1000"]).json();
    let sum: u64 = bounds.iter().map(|key| json[key]["value"].as_u64().unwrap()).sum();
    let fixed = guanxi_embedded::FIXED_CACHES_BYTES >> 20;
    assert_eq!(
        json["memory_mib"]["value"],
        sum + fixed + 6 * json["memtable_mib"]["value"].as_u64().unwrap()
    );
    let ran = run(&["config"]);
    assert!(
        ran.stdout.ends_with("at most 1380 MiB; give the process half as much again, 2070 MiB\n"),
        "{ran:?}"
    );
}

#[test]
fn mistakes_are_usage_errors_with_what_was_meant() {
    let scratch = Scratch::new();
    let config = |text: &str| run(&["config", "--config", &scratch.file("guanxi.toml", text)]);
    config("lissten = '127.0.0.1:1'").failed(2, "no such key `lissten`; did you mean `listen`?");
    config("follow_limit = 'many'").failed(2, "`follow_limit` must be a whole number");
    config("follow_limit = 99999999").failed(2, "`follow_limit`");
    config("cors_origins = ['https://a.example/']").failed(2, "write `https://a.example`");
    config("cors_origins = ['a.example']").failed(2, "write `https://a.example`");
    config("cors_origins = ['*', 'https://a.example']").failed(2, "stands alone");
    assert_eq!(config("cors_origins = ['*']").code, 0);
    config("this is no toml").failed(2, "is not a configuration");
    run(&["config", "--config", "/no/such/file"]).failed(2, "cannot read the configuration /no/such/file");
    Ran::of(guanxi().arg("config").env("GUANXI_FOLOW_LIMIT", "1"))
        .failed(2, "did you mean GUANXI_FOLLOW_LIMIT?");
    run(&["serve", "--data", &scratch.arg("data"), "--log-level", "inof"])
        .failed(2, "flag --log-level: `log_level` has no level `inof`; did you mean `info`?");
    config("log_level = 'info,guanxi_apl=debug'").failed(2, "did you mean `guanxi_api`?");
    assert_eq!(Ran::of(guanxi().arg("config").env("GUANXI_PORT", "tcp://10.0.0.1:1")).code, 0);
    assert_eq!(run(&["serv"]).code, 2);
    assert_eq!(run(&[]).code, 2);
}

#[test]
fn without_authentication_nobody_else_can_reach_it() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    for listener in ["--listen", "--admin-listen"] {
        for addr in ["0.0.0.0:0", "[::]:0"] {
            run(&["serve", "--data", &dir, "--no-auth", listener, addr])
                .failed(2, "without authentication only");
        }
    }
    assert!(!scratch.path("data").exists(), "a refused command line has made a directory");
}
