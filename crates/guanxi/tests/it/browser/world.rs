//! A server with a small community in it, and an operator's browser.

use super::driver::Browser;
use crate::cli::run::{Scratch, Server, run, wait_for};
use serde_json::{Value, json};
use std::fs;

/// Users that the user of the pages follows: more than a page of a list has.
const NEIGHBOURS: usize = 60;

/// Posts of them: more than a page of home has.
const POSTS: usize = 24;

const NAMES: &[&str] =
    &["Ada", "Bert", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jun", "Kira", "Leo"];
const FAMILIES: &[&str] = &["Moreau", "Tanaka", "Okafor", "Lindqvist", "Haddad"];
const TEXTS: &[&str] = &[
    "First frost on the allotment. The leeks do not mind.",
    "Night train to Trieste. I will be back on Monday with coffee.",
    "Does somebody have a spare ladder for Saturday?",
    "The choir sings at seven; bring a friend and a scarf.",
    "Finished the long book. I miss them all already.",
    "A heron on the canal, quite unmoved by the whole rush hour.",
];

/// A server, who is on it, and the operator's token.
pub(super) struct World {
    scratch: Scratch,
    pub(super) server: Server,
    service: String,
    pub(super) token: String,
    /// The user whose pages are opened.
    pub(super) uid: String,
    /// Those it follows, in the order in which it began to.
    pub(super) others: Vec<String>,
    /// Posts of them, oldest first.
    pub(super) posts: Vec<String>,
}

impl World {
    pub(super) fn new() -> Self {
        let scratch = Scratch::new();
        let dir = scratch.arg("data");
        let server = Server::start(&dir, &[]);
        let file = format!("{dir}/admin-token");
        let admin = ["--server", &server.admin, "--token-file", &file];
        let made = run(&[&["token", "create", "backend", "--service", "read,write"], &admin[..]].concat());
        assert_eq!(made.code, 0, "{made:?}");
        let service = made.stdout.trim().to_owned();
        let token = fs::read_to_string(&file).expect("the first start writes it").trim().to_owned();
        let (uid, others, posts) = (String::new(), Vec::new(), Vec::new());
        let mut world = Self { scratch, server, service, token, uid, others, posts };
        world.settle();
        world.relate();
        world.write();
        let export = world.scratch.arg("posts.csv");
        let file = format!("{dir}/admin-token");
        let admin = ["--server", &world.server.admin, "--token-file", &file];
        let exported = run(&[&["admin", "posts", "--export", &export], &admin[..]].concat());
        assert_eq!(exported.code, 0, "{exported:?}");
        world
    }

    /// Calls as a service.
    pub(super) fn call(&self, method: &str, request: &Value) -> Value {
        let answer = self.server.call_as(Some(&self.service), method, request);
        assert!(answer.get("code").is_none(), "{method} {request}: {answer}");
        answer
    }

    /// Registers the users.
    fn settle(&mut self) {
        let account =
            json!({ "loginName": "mira", "nickname": "Mira Castell", "password": "a quiet Tuesday" });
        self.uid = text(&self.call("UserService/Register", &account)["uid"]);
        let bio = "Gardens, trains and long books.";
        self.call(
            "UserService/UpdateUser",
            &json!({ "uid": self.uid, "bio": bio, "attributes": { "city": "Lisbon" } }),
        );
        let login = json!({ "loginName": "mira", "password": "a quiet Tuesday", "device": "phone" });
        self.call("UserService/Login", &login);
        // Those of the page "Try it".
        let ids = ["guanxi-console-try-a", "guanxi-console-try-b"];
        let made = self.call("UserService/ResolveIds", &json!({ "externalIds": ids, "create": true }));
        for id in made["byExternalId"].as_array().expect("each has a uid") {
            let marked = json!({ "uid": id["uid"], "attributes": { "guanxi_console": "try" } });
            self.call("UserService/UpdateUser", &marked);
        }
        for n in 0..NEIGHBOURS {
            let (name, family) = (NAMES[n % NAMES.len()], FAMILIES[n / NAMES.len()]);
            let login = format!("{name}.{family}").to_lowercase();
            let account = json!({ "loginName": login, "nickname": format!("{name} {family}") });
            self.others.push(text(&self.call("UserService/Register", &account)["uid"]));
        }
    }

    /// Has them follow, block, mute and ask each other.
    fn relate(&self) {
        let (uid, others) = (&self.uid, &self.others);
        self.call("BatchFollow", &json!({ "subject": uid, "objects": others }));
        for other in others.iter().step_by(3) {
            self.call("BatchFollow", &json!({ "subject": other, "objects": [uid, "9005", "9006"] }));
        }
        let pair = |method: &str, subject: &str, object: &str| {
            self.call(method, &json!({ "subject": subject, "object": object }));
        };
        pair("Block", uid, "9001");
        pair("Mute", uid, "9002");
        self.call("UserService/SetPrivacy", &json!({ "uid": uid, "locked": true }));
        pair("Follow", "9003", uid);
        let asked = json!({ "subject": "9004", "object": uid, "message": "We met at the choir." });
        self.call("SendFriendRequest", &asked);
    }

    /// Has them write.
    fn write(&mut self) {
        for n in 0..POSTS {
            let text = TEXTS[n % TEXTS.len()];
            let post = self.post(&json!({ "author": self.others[n % 12], "text": text }));
            self.posts.push(post);
        }
        let last = self.posts[POSTS - 1].clone();
        for other in &self.others[..5] {
            self.call("PostService/LikePost", &json!({ "uid": other, "postId": last }));
        }
        let edit = json!({ "author": self.others[11], "postId": last, "text": "A heron on the canal!" });
        self.call("PostService/UpdatePost", &edit);
        for more in [
            json!({ "author": self.others[3], "text": "So did I.", "replyTo": last }),
            json!({ "author": self.others[4], "text": "Look at this one.", "repostOf": last }),
            json!({ "author": self.uid, "text": "Home again. The kettle is on." }),
        ] {
            self.post(&more);
        }
    }

    /// Makes a post, and returns its id.
    pub(super) fn post(&self, post: &Value) -> String {
        text(&self.call("PostService/CreatePost", post)["postId"])
    }

    /// Opens a browser, which is not signed in.
    pub(super) fn browser(&self) -> Browser {
        Browser::open(&self.server.admin)
    }

    /// Signs an operator in, who is then at the overview.
    pub(super) fn sign_in(&self, browser: &Browser) {
        browser.go("/sign-in");
        browser.fill("#token", &self.token);
        browser.click("main button");
        wait_for(|| browser.path() == "/");
    }

    /// The paths of all pages.
    pub(super) fn paths(&self) -> Vec<String> {
        paths(&self.uid, self.posts.last().expect("they wrote"), &self.others[0])
    }
}

/// The paths of all pages about a user, a post and another user.
pub(super) fn paths(uid: &str, post: &str, other: &str) -> Vec<String> {
    let mut paths: Vec<String> = [
        "/",
        "/users",
        "/users?q=Tanaka",
        "/rows/users",
        "/rows/users?chart=followers&order=posts",
        "/posts",
        "/posts?chart=author&state=live",
        "/exports",
        "/exports/start?of=posts&author=7",
        "/audit",
        "/tokens",
        "/consistency",
        // Whole when it is answered. The next one is left while it runs.
        "/consistency/check?of=homes&whole=1",
        "/consistency?check=facts",
        "/consistency/mend",
        "/try",
        "/try/erase",
        "/cluster",
        "/do/revoke-token/backend",
    ]
    .map(str::to_owned)
    .to_vec();
    let of_user = [
        "",
        "/around",
        "/list/following",
        "/list/followers",
        "/list/friends",
        "/list/blocks",
        "/list/mutes",
        "/list/requests",
        "/home",
        "/posts",
        "/suggestions",
        "/sessions",
        "/history",
    ];
    paths.extend(of_user.map(|rest| format!("/user/{uid}{rest}")));
    paths.extend([
        format!("/user/{uid}/relation?to={other}"),
        format!("/user/{uid}/explain?post={post}"),
        format!("/post/{post}"),
        format!("/do/take-down-post/{post}"),
        format!("/do/take-down-user/{uid}"),
        format!("/user/{uid}/do/unfollow/{other}"),
    ]);
    paths
}

fn text(value: &Value) -> String {
    value.as_str().expect("an id is a string").to_owned()
}
