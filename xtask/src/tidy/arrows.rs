//! The arrows between crates, and the words that a crate must not know.

use super::lex;
use super::tree::{File, Tree};

/// What a crate of ours may depend on: of our own always only these, of others anything but the banned.
struct Arrows {
    name: &'static str,
    ours: &'static [&'static str],
    /// Ours that its tests may use beside.
    in_tests: &'static [&'static str],
    /// When given, the only foreign crates allowed outside tests.
    foreign: Option<&'static [&'static str]>,
}

const EVERY_CRATE: &[&str] = &[
    "guanxi-model",
    "guanxi-texts",
    "guanxi-text",
    "guanxi-ports",
    "guanxi-centers",
    "guanxi-rows",
    "guanxi-embedded",
    "guanxi-cluster",
    "guanxi-search",
    "guanxi-proto",
    "guanxi-rim",
    "guanxi-api",
    "guanxi-server",
    "guanxi-lists",
    "guanxi-load",
];

/// What starts servers, for tests and developers alone.
const SERVERS: &str = "guanxi-servers";

/// What no crate of the product may depend on: the binary, and what it is held against.
const PROOFS: &[&str] = &[
    "guanxi",
    CERTS,
    "guanxi-client",
    "guanxi-fuzz",
    "guanxi-oracle",
    REMOTE,
    SERVERS,
    "guanxi-sim",
    "guanxi-spec",
    TESTKIT,
];

/// The ports over RPC, for tests alone.
const REMOTE: &str = "guanxi-remote";

/// What makes certificates and JWTs for tests.
const CERTS: &str = "guanxi-certs";

/// A server for tests.
const TESTKIT: &str = "guanxi-testkit";

/// What makes inputs for tests of decoders.
const FUZZ: &[&str] = &["guanxi-fuzz"];

/// The same, and the specification; only tests build them.
const SPEC: &[&str] = &["guanxi-fuzz", "guanxi-spec"];

/// The arrows: model <- ports <- centers <- rim <- api <- server <- guanxi; a backend knows ports, model and dumps only.
const ARROWS: &[Arrows] = &[
    Arrows {
        name: "guanxi-model",
        ours: &[],
        in_tests: FUZZ,
        foreign: Some(&["base64", "thiserror", "xxhash-rust"]),
    },
    Arrows {
        name: "guanxi-texts",
        ours: &["guanxi-model"],
        in_tests: FUZZ,
        foreign: Some(&[
            "precis-profiles",
            "unicode-normalization",
            "unicode-properties",
            "unicode-security",
            "zeroize",
        ]),
    },
    Arrows {
        name: "guanxi-text",
        ours: &["guanxi-model"],
        in_tests: FUZZ,
        foreign: Some(&[
            "caseless",
            "pinyin",
            "rustc-hash",
            "strsim",
            "thiserror",
            "unicode-normalization",
            "unicode-properties",
        ]),
    },
    // A query crosses the port of search as what was parsed.
    Arrows { name: "guanxi-ports", ours: &["guanxi-model", "guanxi-text"], in_tests: &[], foreign: None },
    Arrows {
        name: "guanxi-spec",
        ours: &["guanxi-model", "guanxi-text", "guanxi-ports"],
        in_tests: &[],
        foreign: None,
    },
    Arrows {
        name: "guanxi-centers",
        ours: &["guanxi-model", "guanxi-text", "guanxi-ports"],
        in_tests: &["guanxi-fuzz", "guanxi-search", "guanxi-spec"],
        foreign: Some(&[
            "argon2",
            "base64",
            "bcrypt",
            "hmac",
            "metrics",
            "sha2",
            "subtle",
            "thiserror",
            "tokio",
            "tracing",
            "zeroize",
        ]),
    },
    Arrows { name: "guanxi-rows", ours: &["guanxi-model", "guanxi-ports"], in_tests: FUZZ, foreign: None },
    Arrows {
        name: "guanxi-embedded",
        ours: &["guanxi-rows", "guanxi-model", "guanxi-ports"],
        in_tests: SPEC,
        foreign: None,
    },
    Arrows {
        name: "guanxi-cluster",
        ours: &["guanxi-rows", "guanxi-model", "guanxi-ports"],
        in_tests: &["guanxi-centers", "guanxi-fuzz", "guanxi-search", "guanxi-spec", "guanxi-text", SERVERS],
        foreign: None,
    },
    Arrows {
        name: "guanxi-search",
        ours: &["guanxi-model", "guanxi-text", "guanxi-ports"],
        in_tests: FUZZ,
        foreign: Some(&["tantivy", "thiserror", "tokio"]),
    },
    Arrows { name: SERVERS, ours: &[], in_tests: &[], foreign: None },
    Arrows { name: "guanxi-fuzz", ours: &[], in_tests: &[], foreign: Some(&[]) },
    Arrows { name: CERTS, ours: &[], in_tests: &[], foreign: None },
    Arrows { name: "guanxi-proto", ours: &[], in_tests: FUZZ, foreign: None },
    Arrows {
        name: "guanxi-rim",
        ours: &["guanxi-model", "guanxi-ports", "guanxi-texts", "guanxi-centers", "guanxi-proto"],
        in_tests: &[CERTS, "guanxi-fuzz", "guanxi-spec"],
        foreign: None,
    },
    Arrows {
        name: "guanxi-api",
        // A query crosses from one process to another as it was typed.
        ours: &[
            "guanxi-model",
            "guanxi-ports",
            "guanxi-text",
            "guanxi-texts",
            "guanxi-centers",
            "guanxi-proto",
            "guanxi-rim",
        ],
        in_tests: SPEC,
        foreign: None,
    },
    Arrows {
        name: REMOTE,
        ours: &["guanxi-model", "guanxi-ports", "guanxi-proto", "guanxi-api", "guanxi-spec"],
        in_tests: &[],
        foreign: None,
    },
    // A list may bring hashes of passwords, and centers know which.
    Arrows {
        name: "guanxi-lists",
        ours: &["guanxi-model", "guanxi-ports", "guanxi-texts", "guanxi-centers"],
        in_tests: FUZZ,
        foreign: None,
    },
    Arrows {
        name: "guanxi-load",
        ours: &["guanxi-model", "guanxi-ports", "guanxi-centers", "guanxi-proto"],
        in_tests: SPEC,
        foreign: None,
    },
    Arrows {
        name: "guanxi-client",
        ours: &["guanxi-proto"],
        in_tests: &["guanxi-api", "guanxi-model", "guanxi-ports", TESTKIT],
        foreign: None,
    },
    Arrows { name: "guanxi-oracle", ours: &["guanxi-model"], in_tests: &[], foreign: Some(&[]) },
    Arrows {
        name: "guanxi-sim",
        ours: &[
            "guanxi-model",
            "guanxi-ports",
            "guanxi-spec",
            "guanxi-centers",
            "guanxi-embedded",
            "guanxi-oracle",
        ],
        in_tests: &[],
        foreign: None,
    },
    // The only one that knows backends.
    Arrows {
        name: "guanxi-server",
        ours: &[
            "guanxi-model",
            "guanxi-ports",
            "guanxi-centers",
            "guanxi-rows",
            "guanxi-embedded",
            "guanxi-cluster",
            "guanxi-search",
            "guanxi-api",
        ],
        in_tests: &[CERTS, "guanxi-fuzz", "guanxi-proto", REMOTE, "guanxi-spec", TESTKIT],
        foreign: None,
    },
    // It serves what it is given, as the product does.
    Arrows {
        name: TESTKIT,
        ours: &[
            "guanxi-model",
            "guanxi-ports",
            "guanxi-centers",
            "guanxi-proto",
            "guanxi-api",
            "guanxi-server",
            "guanxi-spec",
        ],
        in_tests: &[],
        foreign: None,
    },
    Arrows {
        name: "guanxi",
        ours: &[
            "guanxi-model",
            "guanxi-ports",
            "guanxi-centers",
            "guanxi-api",
            "guanxi-server",
            "guanxi-lists",
            "guanxi-load",
        ],
        in_tests: &[CERTS, "guanxi-embedded", "guanxi-fuzz", "guanxi-rows", SERVERS],
        foreign: None,
    },
    Arrows {
        name: "guanxi-bench",
        ours: &[
            "guanxi-model",
            "guanxi-ports",
            "guanxi-centers",
            "guanxi-embedded",
            "guanxi-proto",
            "guanxi-api",
            "guanxi-server",
            "guanxi-load",
            "guanxi-search",
            "guanxi-text",
            SERVERS,
        ],
        in_tests: &[],
        foreign: None,
    },
    Arrows { name: "xtask", ours: &["guanxi-model", SERVERS], in_tests: &[], foreign: None },
];

/// Words that must not stand in the product code below a folder.
struct Ban {
    /// Holds below these folders; all others are free.
    below: &'static [&'static str],
    /// Except below these.
    except: &'static [&'static str],
    words: &'static [&'static str],
    remedy: &'static str,
}

const BANS: &[Ban] = &[
    Ban {
        below: &["crates/model/", "crates/text/"],
        except: &[],
        words: &[
            "std::fs",
            "std::net",
            "std::io",
            "std::thread",
            "std::env",
            "std::process",
            "tokio",
            "async",
            ".await",
            "SystemTime",
            "Instant",
        ],
        remedy: "the model and the search text are pure: pass the value in, or move this to a port",
    },
    Ban {
        below: &["crates/centers/"],
        except: &[],
        words: &[
            "fjall",
            "lsm_tree",
            "connectrpc",
            "axum",
            "hyper",
            "http",
            "tonic",
            "serde_json",
            "tokio::net",
            "std::fs",
            "std::net",
            "redis",
            "tokio_postgres",
            "SystemTime",
            "Instant",
        ],
        remedy: "centers are written on the ports alone: add what you need to a trait of `ports`",
    },
    Ban {
        below: &["sim/oracle/"],
        except: &[],
        words: &["sight", "visible", "home_hides", "decide", "is_widened_by", "takes", "Item", "Relation"],
        remedy: "the definition of home shares no rule with the product: write it out",
    },
    Ban {
        below: &[
            "crates/model/",
            "crates/ports/",
            "crates/rows/",
            "crates/embedded/",
            "crates/cluster/",
            "crates/search/",
        ],
        except: &[],
        words: &["serde_json", "connectrpc", "axum", "hyper", "tonic", "prost"],
        remedy: "only `rim` and `api` know proto and JSON: convert there",
    },
    Ban {
        below: &["crates/"],
        except: &["crates/embedded/src/engine/"],
        words: &["fjall", "lsm_tree"],
        remedy: "only crates/embedded/src/engine names the storage engine: give it a function there",
    },
    Ban {
        below: &["crates/"],
        except: &["crates/search/src/engine/"],
        words: &["tantivy"],
        remedy: "only crates/search/src/engine names the search library: give it a function there",
    },
    Ban {
        below: &["crates/"],
        except: &["crates/guanxi/", "crates/server/"],
        words: &["SystemTime", "getrandom", "fastrand", "rand::"],
        remedy: "time and randomness come in as parameters: take a `Clock`, or the bytes",
    },
    Ban {
        below: &["crates/", "xtask/"],
        // The load generator, the client and the ports over it speak the API and serve no caller.
        except: &[
            "crates/rim/",
            "crates/api/",
            "crates/client/",
            "crates/proto/",
            "crates/load/",
            "crates/remote/",
        ],
        words: &["guanxi_proto"],
        remedy: "only `rim` and `api` know proto: convert there, and hand model types on",
    },
    Ban {
        below: &["crates/", "xtask/"],
        except: &["crates/embedded/", "crates/server/"],
        words: &["guanxi_embedded"],
        remedy: "only crates/server names a backend: give it a function that returns a port",
    },
    Ban {
        below: &["crates/", "xtask/"],
        except: &["crates/cluster/", "crates/server/"],
        words: &["guanxi_cluster"],
        remedy: "only crates/server names a backend: give it a function that returns a port",
    },
    Ban {
        below: &["crates/"],
        except: &["crates/cluster/src/"],
        words: &["tokio_postgres"],
        remedy: "only crates/cluster names PostgreSQL: give it a function there",
    },
    Ban {
        below: &["crates/"],
        // A place goes over the wire as two numbers, and the fan-out keeps those of one log in order.
        except: &[
            "crates/model/",
            "crates/rows/",
            "crates/embedded/",
            "crates/cluster/",
            "crates/spec/",
            "crates/api/src/convert.rs",
            "crates/centers/src/feed/fanout/",
        ],
        words: &[".seq"],
        remedy: "outside the model and the backends a position is opaque: compare by its methods",
    },
];

/// Compares the packages and the sources with the tables above.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let mut complaints: Vec<String> = tree.packages.iter().flat_map(package).collect();
    complaints.extend(tree.sources().flat_map(|file| BANS.iter().flat_map(|ban| banned(file, ban))));
    complaints
}

fn package(package: &super::tree::Package) -> Vec<String> {
    let Some(rule) = ARROWS.iter().find(|rule| rule.name == package.name) else {
        let name = &package.name;
        return vec![format!("{name}: a new crate needs a row in ARROWS of xtask/src/tidy/arrows.rs")];
    };
    let mut complaints = Vec::new();
    for (dependency, dev) in &package.dependencies {
        let is_ours = EVERY_CRATE.contains(&dependency.as_str()) || PROOFS.contains(&dependency.as_str());
        let allowed = match (is_ours, rule.foreign) {
            (true, _) => {
                let name = &dependency.as_str();
                rule.ours.contains(name) || (*dev && rule.in_tests.contains(name))
            }
            (false, Some(foreign)) => *dev || foreign.contains(&dependency.as_str()),
            (false, None) => true,
        };
        if !allowed {
            complaints.push(format!(
                "{} depends on {dependency}: an arrow that ARCHITECTURE.md does not have. Go through a port, or \
                 change the invariant there and in xtask/src/tidy/arrows.rs in a commit of its own",
                package.name
            ));
        }
    }
    complaints
}

fn banned(file: &File, ban: &Ban) -> Vec<String> {
    let starts = |folders: &[&str]| folders.iter().any(|folder| file.path.starts_with(folder));
    if !starts(ban.below) || starts(ban.except) {
        return Vec::new();
    }
    let code = file.product_code();
    let mut complaints = Vec::new();
    for word in ban.words {
        for at in lex::words(&code, word) {
            let line = lex::line_of(&code, at);
            complaints.push(format!("{}:{line}: `{word}`: {}", file.path, ban.remedy));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::super::tree::Package;
    use super::*;

    fn complaints_of(path: &str, text: &str) -> Vec<String> {
        let file = File::new(path, text);
        BANS.iter().flat_map(|ban| banned(&file, ban)).collect()
    }

    fn package_with(name: &str, dependency: &str, dev: bool) -> Vec<String> {
        let dependencies = vec![(dependency.to_owned(), dev)];
        package(&Package { name: name.to_owned(), folder: String::new(), dependencies })
    }

    #[test]
    fn an_arrow_that_points_back_is_named() {
        assert_eq!(package_with("guanxi-ports", "guanxi-model", false), Vec::<String>::new());
        assert_eq!(package_with("guanxi-model", "guanxi-ports", false).len(), 1);
        assert_eq!(package_with("guanxi-model", "guanxi-ports", true).len(), 1, "tests are bound too");
        assert_eq!(package_with("guanxi-embedded", "guanxi-centers", false).len(), 1);
        assert_eq!(package_with("guanxi-model", "tokio", false).len(), 1);
        assert_eq!(package_with("guanxi-model", "proptest", true), Vec::<String>::new());
        assert_eq!(package_with("guanxi-new", "guanxi-model", false).len(), 1);
        assert_eq!(package_with("guanxi-server", REMOTE, true), Vec::<String>::new());
        assert_eq!(
            package_with("guanxi-server", REMOTE, false).len(),
            1,
            "no product crate is made on a proof"
        );
        assert_eq!(package_with("guanxi-api", TESTKIT, true).len(), 1, "tests use nothing above their crate");
    }

    #[test]
    fn forbidden_words_are_found_in_code_only() {
        let io = "//! tokio is not here.\nfn f() { std::fs::read(p) }\n";
        assert_eq!(complaints_of("crates/model/src/a.rs", io).len(), 1);
        assert!(
            complaints_of("crates/model/src/a.rs", io)[0].starts_with("crates/model/src/a.rs:2: `std::fs`")
        );
        assert_eq!(complaints_of("crates/ports/src/a.rs", io), Vec::<String>::new());
        assert_eq!(complaints_of("crates/centers/src/a.rs", "use axum::Router;").len(), 1);
        let position = "fn f() { a.seq < b.position.seq }";
        assert_eq!(complaints_of("crates/centers/src/post/a.rs", position).len(), 2);
        assert_eq!(complaints_of("crates/model/src/a.rs", position), Vec::<String>::new());
        let backend = "use guanxi_embedded::EmbeddedStore;";
        assert_eq!(complaints_of("crates/guanxi/src/cli/serve.rs", backend).len(), 1);
        assert_eq!(complaints_of("crates/server/src/store/directory.rs", backend), Vec::<String>::new());
        assert_eq!(complaints_of("crates/guanxi/tests/it/crash.rs", backend), Vec::<String>::new());
        let library = "use tantivy::Index;";
        assert_eq!(complaints_of("crates/search/src/ask.rs", library).len(), 1);
        assert_eq!(complaints_of("crates/search/src/engine/open.rs", library), Vec::<String>::new());
    }
}
