//! The packages for TypeScript and Python, with the binary: what they promise holds through a proxy that loses every
//! other answer and cuts every connection, and their examples run.

use super::blocks::root;
use crate::cli::run::{Ran, Scratch, Server, run};
use guanxi_certs::Authority;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long a connection through the proxy lives after its last bytes, or in all if it never rests.
const LIFE: Duration = Duration::from_millis(150);

/// A server that asks for tokens, one that may do everything, and a proxy before it.
struct World {
    scratch: Scratch,
    server: Server,
    token: String,
    proxy: String,
}

impl World {
    fn new() -> Self {
        let scratch = Scratch::new();
        let dir = scratch.arg("data");
        let server = Server::start(&dir, &[]);
        let admin = ["--server", &server.admin, "--token-file", &format!("{dir}/admin-token")];
        let made = run(&[&["token", "create", "web", "--service", "read,write"], &admin[..]].concat());
        assert_eq!(made.code, 0, "{made:?}");
        let proxy = proxy_before(server.api.strip_prefix("http://").expect("it is without TLS").to_owned());
        Self { scratch, token: made.stdout.trim().to_owned(), server, proxy }
    }

    /// Runs a program of a client, and returns what it said.
    fn says(&self, command: &mut Command) -> String {
        command.env("API_URL", &self.server.api).env("PROXY_URL", &self.proxy).env("TOKEN", &self.token);
        let ran = Ran::of(command);
        assert_eq!(ran.code, 0, "{}\n{}\n{}", ran.stdout, ran.stderr, self.server.log());
        ran.stdout
    }
}

/// A proxy: the first answer of every other connection is lost, and the others are cut after a while.
fn proxy_before(server: String) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for (number, client) in listener.incoming().map_while(Result::ok).enumerate() {
            let server = TcpStream::connect(&server).expect("the server listens");
            let back = (server.try_clone().expect("a socket"), client.try_clone().expect("a socket"));
            std::thread::spawn(move || pass(client, server, false));
            std::thread::spawn(move || pass(back.0, back.1, number % 2 == 0));
        }
    });
    address
}

/// Passes bytes on until one side ends or rests; `lose` closes both at the first bytes.
fn pass(mut from: TcpStream, mut to: TcpStream, lose: bool) {
    from.set_read_timeout(Some(LIFE)).expect("it is not zero");
    let mut bytes = [0; 8 << 10];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if lose || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        // An error means that it has ended.
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// A package's folder.
fn package(name: &str) -> std::path::PathBuf {
    root().join("clients").join(name)
}

/// A program of the Python package.
pub(super) fn python(program: &str) -> Command {
    let mut command = Command::new("python3");
    // Nothing is written beside the sources.
    command.args(["-B", "-W", "error"]).arg(package("python").join(program));
    command.env("PYTHONPATH", package("python"));
    command
}

#[test]
fn the_python_package_keeps_its_promises() {
    let world = World::new();
    for program in ["test.py", "test_aio.py", "test_connections.py"] {
        assert_eq!(world.says(&mut python(program)), "all is well\n", "{program}");
    }
}

/// A server with TLS, and the file of who has signed for it.
fn behind_tls(scratch: &Scratch) -> (Server, String) {
    let (dir, ca) = (scratch.path(""), Authority::new("ca"));
    let pair = ca.sign(&dir, "server", &["127.0.0.1"]);
    let [cert, key] = [&pair.cert, &pair.key].map(|path| path.to_string_lossy().into_owned());
    let options = ["--tls-cert", &cert, "--tls-key", &key, "--no-auth"];
    let server = Server::start(&scratch.arg("data"), &options);
    (server, ca.file(&dir, "ca.pem").to_string_lossy().into_owned())
}

#[test]
fn the_python_clients_keep_connections_over_tls() {
    let scratch = Scratch::new();
    let (server, ca) = behind_tls(&scratch);
    let ran = Ran::of(python("test_tls.py").env("API_URL", &server.api).env("CA", ca));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "all is well\n"), "{}", ran.stderr);
}

#[test]
fn the_typescript_client_tells_of_a_certificate_that_it_does_not_trust() {
    let scratch = Scratch::new();
    let (server, ca) = behind_tls(&scratch);
    let place = installed(&scratch);
    let program = "import { GuanxiClient } from 'guanxi-client';\n\
        const sleep = () => { throw new Error('it was tried again'); };\n\
        const client = new GuanxiClient(process.env.API_URL, { sleep });\n\
        console.log(await client.getCounts({ uid: 1 }).then(() => 'trusted', (error) => error.code));\n";
    fs::write(place.join("tls.js"), program).expect("there is room");
    let mut with_ca = node(&place, "tls.js");
    let trusted = Ran::of(with_ca.env("API_URL", &server.api).env("NODE_EXTRA_CA_CERTS", ca));
    assert_eq!(trusted.stdout, "trusted\n", "{trusted:?}");
    let untrusted = Ran::of(node(&place, "tls.js").env("API_URL", &server.api));
    assert_eq!(untrusted.stdout, "unknown\n", "{untrusted:?}");
}

#[test]
fn the_python_example_runs() {
    let world = World::new();
    let said = world.says(&mut python("example.py"));
    assert_eq!(
        said,
        "newly followed: True\n2: hello from Python\nnew: 1 post\n1 of anna and bert is known\n"
    );
}

/// Lines of Python that are right, and some that are not, each with what a checker says of it.
const TYPED: &[(&str, &str)] = &[
    ("client.follow({'object': 2})", ""),
    ("client.batch_follow({'objects': ids})", ""),
    ("client.batch_check_pairs({'pairs': [{'subject': '1', 'object': 2**60}]})", ""),
    ("client.follow({'subject': 1})", "Missing key \"object\""),
    ("client.follow({'subjct': 1, 'object': 2})", "Extra key \"subjct\""),
    ("client.follow({'object': True, 'subject': 1.5})", "Incompatible types"),
    ("client.batch_check_pairs({'pairs': [{'subject': 1}]})", "Missing key \"object\""),
    ("client.folow({'object': 2})", "has no attribute \"folow\""),
];

#[test]
fn the_python_packages_types_are_of_use() {
    let scratch = Scratch::new();
    let mypy = root().join("target/tools/checks/.venv/bin/mypy");
    assert!(mypy.exists(), "the checker is missing: run `cargo xtask setup`");
    let check = |path: &str| {
        let mut command = Command::new(&mypy);
        command.args(["--strict", "--no-warn-return-any", "--no-color-output", path]);
        Ran::of(command.env("MYPYPATH", package("python")).current_dir(scratch.path("")))
    };
    let own = check(&package("python").join("guanxi_client").to_string_lossy());
    assert_eq!(own.code, 0, "{}", own.stdout);
    let head = "import guanxi_client\nids = ['1', '2']\n";
    for (kind, wait) in [("Client", ""), ("AsyncClient", "await ")] {
        let lines: String = TYPED.iter().map(|(line, _)| format!("    {wait}{line}\n")).collect();
        let define = if wait.is_empty() { "def" } else { "async def" };
        let program = format!("{head}{define} main(client: guanxi_client.{kind}) -> None:\n{lines}");
        let told = check(&scratch.file("typed.py", program)).stdout;
        for (number, (line, expected)) in (4..).zip(TYPED) {
            let start = format!("typed.py:{number}: error: ");
            let found = told.lines().find_map(|one| one.split_once(&start).map(|(_, text)| text));
            assert_eq!(found.is_some(), !expected.is_empty(), "{line}: {told}");
            assert!(found.unwrap_or_default().contains(expected), "{line}: {told}");
        }
    }
}

/// A place where the package for TypeScript is installed.
pub(super) fn installed(scratch: &Scratch) -> std::path::PathBuf {
    let place = scratch.path("app");
    fs::create_dir_all(place.join("node_modules")).expect("there is room");
    symlink(package("typescript"), place.join("node_modules/guanxi-client")).expect("there is room");
    fs::write(place.join("package.json"), r#"{ "type": "module" }"#).expect("there is room");
    for name in ["test.js", "test-restart.js", "example.ts"] {
        fs::copy(package("typescript").join(name), place.join(name)).expect("it is in the repository");
    }
    place
}

pub(super) fn node(place: &Path, program: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(program).current_dir(place);
    command
}

#[test]
fn the_typescript_package_keeps_its_promises() {
    let world = World::new();
    let place = installed(&world.scratch);
    assert_eq!(world.says(&mut node(&place, "test.js")), "all is well\n");
}

#[test]
fn the_typescript_example_is_typed_and_runs() {
    let world = World::new();
    let place = installed(&world.scratch);
    let tools = root().join("target/tools/examples/typescript/node_modules");
    assert!(tools.join(".bin/tsc").exists(), "the compiler is missing: run `cargo xtask setup`");
    symlink(tools.join("@types"), place.join("node_modules/@types")).expect("there is room");
    let options = "--strict --target ES2022 --module NodeNext --moduleResolution NodeNext --types node";
    // Types are of use: what is misspelt, or of the wrong kind, does not compile.
    let mut wrong =
        "import { GuanxiClient } from \"guanxi-client\";\nconst client = new GuanxiClient(\"http://x\");\n"
            .to_owned();
    for line in [
        "client.follow({ object: 2, subjct: \"1\" })",
        "client.follow({ object: 2, subject: true })",
        "client.folow({})",
        // What must be there.
        "client.follow({ subject: 1 })",
        "client.batchCheckPairs({ pairs: [{ subject: 1n }] })",
    ] {
        writeln!(wrong, "// @ts-expect-error\nawait {line};").expect("a string takes all");
    }
    fs::write(place.join("wrong.ts"), wrong).expect("there is room");
    let mut tsc = Command::new(tools.join(".bin/tsc"));
    tsc.args(options.split(' ')).args(["example.ts", "wrong.ts"]).current_dir(&place);
    let compiled = Ran::of(&mut tsc);
    assert_eq!(compiled.code, 0, "{compiled:?}");
    let said = world.says(&mut node(&place, "example.js"));
    assert_eq!(
        said,
        "newly followed: true\n2: hello from TypeScript\nnew: 1 post\n1 of anna and bert is known\n"
    );
}

#[test]
fn what_is_published_is_all_that_a_package_needs() {
    let mut npm = Command::new("npm");
    let listed =
        Ran::of(npm.args(["pack", "--dry-run", "--json", "--offline"]).current_dir(package("typescript")))
            .json();
    let files = listed[0]["files"].as_array().expect("a list");
    let mut names: Vec<&str> = files.iter().filter_map(|file| file["path"].as_str()).collect();
    names.sort_unstable();
    let expected = [
        "README.md",
        "package.json",
        "src/errors.js",
        "src/exact.js",
        "src/frames.js",
        "src/index.d.ts",
        "src/index.js",
        "src/messages.d.ts",
        "src/methods.js",
        "src/state.js",
    ];
    assert_eq!(names, expected);
    let project = fs::read_to_string(package("python").join("pyproject.toml")).expect("it is there");
    let project: toml::Table = project.parse().expect("it is TOML");
    let version = listed[0]["version"].as_str();
    assert_eq!(project["project"]["version"].as_str(), version, "both are of one version");
}
