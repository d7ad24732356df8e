//! `guanxi top`: the overview of a server, once, as JSON, and on a terminal.

use super::run::{Scratch, Server, guanxi, run, signal, wait_for, wait_for_end};
use super::terminal::Terminal;
use crate::ops::metrics::page;
use serde_json::Value;

/// The names of the series of an answer.
fn names(answer: &Value) -> Vec<&str> {
    answer["series"].as_array().unwrap().iter().map(|series| series["name"].as_str().unwrap()).collect()
}

#[test]
fn the_overview_is_printed_once_and_as_json() {
    let scratch = Scratch::new();
    let data = scratch.arg("data");
    let server = Server::start(&data, &["--no-auth"]);
    let json = || run(&["top", "--json", "--server", &server.admin]).json();
    // The first sample is taken as the server begins to listen.
    wait_for(|| json()["sampleTimes"].as_array().is_some_and(|times| !times.is_empty()));
    let answer = json();
    assert_eq!(answer["backend"], "DIRECTORY");
    assert_eq!(answer["roles"], serde_json::json!(["api", "worker", "repair", "index"]));
    let names = names(&answer);
    for name in
        ["load.connections", "memory.inboxes", "process.resident", "log.seq", "fanout.behind", "disk.free"]
    {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    assert!(!names.iter().any(|name| name.starts_with("cluster.")), "{names:?}");
    // Each part of the disk has a row in the table.
    let page = page(&server);
    let parts =
        page.lines().filter_map(|line| line.strip_prefix("guanxi_disk_bytes{part=\"")?.split('"').next());
    let parts: Vec<String> = parts.map(|part| format!("disk.{part}")).collect();
    assert!(
        parts.len() > 5 && parts.iter().all(|part| names.contains(&part.as_str())),
        "{parts:?} {names:?}"
    );

    let shown = run(&["top", "--once", "--server", &server.admin]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""), "{shown:?}");
    assert!(shown.stdout.starts_with("guanxi "), "{shown:?}");
    for name in &names {
        assert!(shown.stdout.lines().any(|line| line.starts_with(name)), "{name}: {shown:?}");
    }
    assert!(!shown.stdout.contains('\x1b'), "no colours without a terminal: {shown:?}");
    // Without a terminal it ends by itself; without a URL it is the server that has the directory open.
    let plain = run(&["top", "--data", &data]);
    assert_eq!(plain.code, 0, "{plain:?}");
    assert!(plain.stdout.contains("process.resident"), "{plain:?}");
    run(&["top", "--server", &server.api]).failed(1, "GetOverview");
    server.stop();
    run(&["top", "--once", "--server", &server_gone()]).failed(1, "GetOverview");
    run(&["top", "--data", &data]).failed(1, "no server has");
}

/// An address at which nothing listens.
fn server_gone() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn on_a_terminal_it_is_drawn_until_a_key_or_a_signal() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &["--no-auth"]);
    // The reserve is half of what is free, so that something is wrong.
    let page = page(&server);
    let free = page.lines().find_map(|line| line.strip_prefix("guanxi_disk_free_bytes ")).unwrap();
    let reserve = (free.parse::<f64>().unwrap() / 2.0 / 1_048_576.0).floor().to_string();
    server.stop();
    let server = Server::start(&scratch.arg("data"), &["--no-auth", "--free-space-reserve-mib", &reserve]);
    let start = |environment: &[(&str, &str)]| {
        let mut command = guanxi();
        command
            .args(["top", "--server", &server.admin])
            .env_remove("NO_COLOR")
            .envs(environment.iter().copied());
        Terminal::run(command, (80, 24), true, Scratch::new())
    };
    let mut terminal = start(&[]);
    let shows = |terminal: &Terminal, text: &str| terminal.rows().iter().any(|row| row.contains(text));
    wait_for(|| shows(&terminal, "WARNING disk_low") && shows(&terminal, "process.resident"));
    assert!(terminal.is_coloured());
    terminal.resize(60, 12);
    wait_for(|| terminal.rows_of_a_frame().iter().filter(|row| !row.is_empty()).count() <= 11);
    terminal.press(b"xq");
    assert!(wait_for_end(&mut terminal.child).success());
    let mut plain = start(&[("NO_COLOR", "1")]);
    wait_for(|| shows(&plain, "WARNING disk_low"));
    assert!(!plain.is_coloured());
    signal(&plain.child, "INT");
    assert!(wait_for_end(&mut plain.child).success());
    server.stop();
}
