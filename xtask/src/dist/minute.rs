//! The first minute of the README with an installed guanxi: the demo starts, calls by curl are answered, Ctrl-C ends it.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use guanxi_servers::{Process, Signal, free_address, pause};
use serde_json::{Value, json};

use crate::steps::output;

/// How long a post may take to a home: the demo pushes behind the answer, and an emulator is slow.
const HOME_MAX: Duration = Duration::from_mins(1);
/// How often the home is read again.
const POLL: Duration = Duration::from_millis(200);

/// An empty folder and free addresses to spend it with.
pub(super) struct Minute {
    folder: PathBuf,
    api: SocketAddr,
    admin: SocketAddr,
}

impl Minute {
    /// Finds free addresses.
    pub(super) fn new(folder: &Path) -> Result<Self, String> {
        Ok(Self { folder: folder.to_owned(), api: free_address()?, admin: free_address()? })
    }

    /// Starts a program as `demo`, uses it, and ends it.
    ///
    /// # Errors
    /// What was not as the README says, with the program's last words.
    pub(super) fn spend(&self, program: &Command) -> Result<(), String> {
        let mut demo = alone(program, &self.folder, &[]);
        demo.args(["demo", "--no-ui"]);
        let said = self.with(demo, || self.use_it().map(drop))?;
        for words in ["against their definition: 0 differ", "ended; removed"] {
            if !said.contains(words) {
                return Err(format!("the demo does not say `{words}` at its end:\n{said}"));
            }
        }
        Ok(())
    }

    /// Starts a command that serves a directory. It makes a post there, or looks for one of an earlier start. Answers
    /// the post.
    ///
    /// # Errors
    /// A call that failed, or the post that is not there, with the program's last words.
    pub(super) fn serve(&self, program: &Command, post: Option<&str>) -> Result<String, String> {
        let mut server = alone(program, &self.folder, &[]);
        server.args(["--no-auth", "--free-space-reserve-mib", "1"]);
        let mut found = post.map(str::to_owned).unwrap_or_default();
        self.with(server, || match post {
            Some(post) => self.home_has(post),
            None => self.use_it().map(|post| found = post),
        })?;
        Ok(found)
    }

    /// Serves an empty directory while something else calls it at an address.
    ///
    /// # Errors
    /// What the other has not got, with the server's last words.
    pub(super) fn beside(
        &self,
        program: &Command,
        act: impl FnOnce(&str) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut server = alone(program, &self.folder, &[]);
        server.args(["--no-auth", "--free-space-reserve-mib", "1"]);
        self.with(server, || act(&format!("http://{}", self.api))).map(drop)
    }

    /// Does something with a server, and ends it. Answers what it has said.
    fn with(&self, mut server: Command, act: impl FnOnce() -> Result<(), String>) -> Result<String, String> {
        let log = self.folder.join("guanxi.log");
        server.args(self.listeners());
        let mut process = Process::start(&server, false, &log, Signal::INT)?;
        process.wait_listening(self.api)?;
        let done = act();
        let ended = process.end();
        let said = fs::read_to_string(&log).unwrap_or_default();
        done.and(ended).map_err(|error| format!("{error}\n{said}"))?;
        Ok(said)
    }

    /// Where a program listens.
    pub(super) fn listeners(&self) -> [String; 4] {
        ["--listen".to_owned(), self.api.to_string(), "--admin-listen".to_owned(), self.admin.to_string()]
    }

    /// A follow, a post, and the home that has it. Answers the post.
    fn use_it(&self) -> Result<String, String> {
        self.call("RelationService/Follow", &json!({ "subject": "1", "object": "2" }))?;
        let post = self.call("PostService/CreatePost", &json!({ "author": "2", "text": "你好" }))?;
        let id = post["postId"].as_str().ok_or_else(|| format!("CreatePost names no post: {post}"))?;
        self.home_has(id)?;
        Ok(id.to_owned())
    }

    /// Waits until the follower's home has a post.
    fn home_has(&self, post: &str) -> Result<(), String> {
        let deadline = Instant::now() + HOME_MAX;
        loop {
            let home = self.call("FeedService/GetHomeTimeline", &json!({ "viewer": "1" }))?;
            if home.to_string().contains(&format!("\"{post}\"")) {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(format!("the home of the follower lacks post {post}: {home}"));
            }
            pause(POLL);
        }
    }

    fn call(&self, method: &str, request: &Value) -> Result<Value, String> {
        let url = format!("http://{}/guanxi.v1.{method}", self.api);
        let body = request.to_string();
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--fail-with-body", "--max-time", "60"]);
        let answer = output(curl.args(["-H", "content-type: application/json", "-d", &body, &url]))?;
        serde_json::from_str(&answer).map_err(|error| format!("{method} answers no JSON: {error}: {answer}"))
    }
}

/// The same command in a folder, in an environment that has nothing of this one's but some variables of its own.
pub(super) fn alone(program: &Command, folder: &Path, variables: &[String]) -> Command {
    let mut command = Command::new("env");
    command.args(["-i", "LC_ALL=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]);
    command.arg(format!("HOME={}", folder.display())).args(variables);
    command.arg(program.get_program()).args(program.get_args());
    command.current_dir(program.get_current_dir().unwrap_or(folder));
    command
}
