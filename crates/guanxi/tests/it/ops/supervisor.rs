//! What a supervisor and a container engine see: words of the notify socket, and the verb that asks for health.

use crate::cli::run::{Scratch, Server, guanxi, run};
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

#[test]
fn a_supervisor_hears_that_the_server_is_ready_lives_and_ends() {
    let scratch = Scratch::new();
    let socket = UnixDatagram::bind(scratch.path("notify")).unwrap();
    socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    let hear = |wanted: &str| {
        let mut bytes = [0; 512];
        loop {
            let length =
                socket.recv(&mut bytes).unwrap_or_else(|error| panic!("{wanted} was not said: {error}"));
            let said = String::from_utf8_lossy(&bytes[..length]).into_owned();
            if said.lines().any(|line| line == wanted) {
                return said;
            }
        }
    };
    let mut command = guanxi();
    command.env("NOTIFY_SOCKET", scratch.path("notify")).env("WATCHDOG_USEC", "200000");
    let mut server = Server::start_by(command, &scratch.arg("data"), &["--no-auth"]);
    let ready = hear("READY=1");
    assert!(ready.contains(server.api.strip_prefix("http://").unwrap()), "{ready}");
    for _ in 0..3 {
        hear("WATCHDOG=1");
    }
    server.signal("TERM");
    hear("STOPPING=1");
    assert!(server.wait().success(), "{}", server.log());
}

#[test]
fn health_is_asked_without_another_client() {
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    run(&["health", "--data", &dir]).failed(1, "no server serves");
    let server = Server::start(&dir, &["--no-auth"]);
    assert_eq!(run(&["health", "--data", &dir]).stdout, "ready\n");
    assert_eq!(run(&["health", "--server", &server.admin]).stdout, "ready\n");
    let url = server.admin.clone();
    server.stop();
    run(&["health", "--server", &url]).failed(1, "nothing answers at");
}

#[test]
fn completions_and_manual_pages_name_every_verb() {
    let help = run(&["help"]).stdout;
    let verbs: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .collect();
    assert!(verbs.contains(&"serve") && verbs.contains(&"verify"), "{help}");
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]).stdout;
        assert!(verbs.iter().all(|verb| script.contains(verb)) && script.contains("follow-limit"), "{shell}");
    }
    let scratch = Scratch::new();
    let ran = run(&["man", &scratch.arg("man1")]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let page = |name: &str| std::fs::read_to_string(scratch.path("man1").join(name)).unwrap();
    for verb in &verbs {
        assert!(
            page("guanxi.1").contains(verb) && page(&format!("guanxi-{verb}.1")).starts_with(".ie"),
            "{verb}"
        );
    }
    assert!(page("guanxi-serve.1").contains("follow"), "settings are in it");
}
