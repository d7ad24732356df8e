//! The packages for TypeScript and Python, with a server that is stopped and started again: they wait it out.

use super::commands::ports;
use super::packages::{installed, node, python};
use crate::cli::run::{Scratch, Server, run};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

/// A server that keeps its address.
struct World {
    scratch: Scratch,
    listeners: [String; 2],
    server: Option<Server>,
}

impl World {
    fn new() -> Self {
        let (api, admin) = ports();
        let listeners = [api, admin].map(|port| format!("127.0.0.1:{port}"));
        let mut world = Self { scratch: Scratch::new(), listeners, server: None };
        world.start();
        world
    }

    fn start(&mut self) {
        let [api, admin] = &self.listeners;
        let options = ["--listen", api.as_str(), "--admin-listen", admin.as_str()];
        self.server = Some(Server::start(&self.scratch.arg("data"), &options));
    }

    fn token(&self) -> String {
        let (url, file) = (format!("http://{}", self.listeners[1]), self.scratch.arg("data/admin-token"));
        let to = ["--server", url.as_str(), "--token-file", file.as_str()];
        let made = run(&[&["token", "create", "web", "--service", "read,write"], &to[..]].concat());
        assert_eq!(made.code, 0, "{made:?}");
        made.stdout.trim().to_owned()
    }

    /// Runs a program that asks for the server's end and start by lines, and returns what else it said.
    fn says(&mut self, command: &mut Command) -> Vec<String> {
        command.env("API_URL", format!("http://{}", self.listeners[0])).env("TOKEN", self.token());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it is installed");
        let mut stdin = child.stdin.take().expect("it is piped");
        let mut said = Vec::new();
        for line in BufReader::new(child.stdout.take().expect("it is piped")).lines() {
            match line.expect("it is text").as_str() {
                "down" => self.server.take().expect("it is there").stop(),
                "up" => self.start(),
                other => {
                    said.push(other.to_owned());
                    continue;
                }
            }
            writeln!(stdin, "ok").expect("it waits for us");
        }
        let status = child.wait().expect("the child is ours");
        assert!(status.success(), "{status}: {said:?}");
        said
    }
}

#[test]
fn the_python_clients_wait_a_restart_out() {
    assert_eq!(World::new().says(&mut python("test_restart.py")), ["all is well"]);
}

#[test]
fn the_typescript_client_waits_a_restart_out() {
    let mut world = World::new();
    let place = installed(&world.scratch);
    assert_eq!(world.says(&mut node(&place, "test-restart.js")), ["all is well"]);
}
