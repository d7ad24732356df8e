//! The arrows between crates, and the words that a crate must not know.

use super::lex;
use super::tree::{File, Tree};

/// What a crate may depend on: of our own always only these, of others anything but the banned. Names are words with blanks
/// between them; those of our crates are without `guanxi-`.
struct Arrows {
    name: &'static str,
    ours: &'static str,
    /// Ours that its tests may use beside.
    in_tests: &'static str,
    /// When given, the only foreign crates allowed outside tests.
    foreign: Option<&'static str>,
}

const fn arrows(name: &'static str, ours: &'static str) -> Arrows {
    Arrows { name, ours, in_tests: "", foreign: None }
}

impl Arrows {
    const fn in_tests(self, in_tests: &'static str) -> Self {
        Self { in_tests, ..self }
    }

    const fn foreign(self, foreign: &'static str) -> Self {
        Self { foreign: Some(foreign), ..self }
    }
}

/// The arrows: model <- ports <- centers <- rim <- api <- console <- server <- guanxi; a backend knows ports, model, dumps, memory, shards and PostgreSQL only. No
/// crate of the product depends on the binary, or on what it is held against: `certs`, `client`, `fuzz`, `oracle`, `remote`,
/// `servers`, `sim`, `spec` and `testkit`.
const ARROWS: &[Arrows] = &[
    arrows("model", "").in_tests("fuzz").foreign("base64 thiserror xxhash-rust"),
    arrows("texts", "model")
        .in_tests("fuzz")
        .foreign("precis-profiles unicode-normalization unicode-properties unicode-security zeroize"),
    arrows("text", "model")
        .in_tests("fuzz")
        .foreign("caseless pinyin rustc-hash strsim thiserror unicode-normalization unicode-properties"),
    // A query crosses the port of search as what was parsed.
    arrows("ports", "model text"),
    arrows("spec", "model text ports"),
    arrows("centers", "model text ports")
        .in_tests("fuzz search spec")
        .foreign("argon2 base64 bcrypt hmac metrics sha2 subtle thiserror tokio tracing zeroize"),
    arrows("rows", "model ports").in_tests("fuzz"),
    // What backends hold in memory names no engine and waits for nothing.
    arrows("memory", "model ports").in_tests("shard").foreign("metrics triomphe"),
    arrows("embedded", "rows memory model ports").in_tests("fuzz spec"),
    // What shards tell each other names no database and waits for nothing.
    arrows("shard", "model").in_tests("ports spec").foreign("xxhash-rust"),
    // It reaches databases and knows none of their tables.
    arrows("postgres", "model").foreign(
        "deadpool futures-util percent-encoding rustls-native-certs thiserror tokio tokio-postgres tokio-rustls tracing",
    ),
    arrows("cluster", "postgres shard rows memory model ports")
        .in_tests("centers certs fuzz search sim spec text servers"),
    arrows("search", "model text ports").in_tests("fuzz").foreign("tantivy thiserror tokio"),
    arrows("servers", ""),
    arrows("fuzz", "").foreign(""),
    arrows("certs", ""),
    arrows("proto", "").in_tests("fuzz"),
    arrows("rim", "model ports texts centers proto").in_tests("certs fuzz spec"),
    // A query crosses from one process to another as it was typed.
    arrows("api", "model ports text texts centers proto rim").in_tests("fuzz spec"),
    arrows("console", "model proto rim api"),
    arrows("remote", "model ports proto api spec"),
    // A list may bring hashes of passwords, and centers know which.
    arrows("lists", "model ports texts centers").in_tests("fuzz"),
    arrows("load", "model ports centers proto").in_tests("fuzz spec"),
    arrows("client", "proto").in_tests("api model ports testkit"),
    arrows("oracle", "model").foreign(""),
    arrows("sim", "model ports spec centers embedded oracle"),
    // The only one that knows backends.
    arrows("server", "model ports centers rows embedded cluster search api console")
        .in_tests("certs fuzz proto remote spec testkit"),
    // It serves what it is given, as the product does.
    arrows("testkit", "model ports centers proto api server spec"),
    arrows("guanxi", "model ports centers api server lists load")
        .in_tests("certs embedded fuzz rows servers"),
    arrows("bench", "model ports centers embedded proto api server load search text servers"),
    arrows("xtask", "model servers"),
];

/// Words that must not stand in the product code below a folder. Words and folders have blanks between them.
struct Ban {
    /// Holds below these folders; all others are free.
    below: &'static str,
    /// Except below these.
    except: &'static str,
    words: &'static str,
    remedy: &'static str,
}

const BANS: &[Ban] = &[
    Ban {
        below: "crates/model/ crates/shard/ crates/text/",
        except: "",
        words: "std::fs std::net std::io std::thread std::env std::process tokio async .await SystemTime Instant",
        remedy: "the model, shards and the search text are pure: pass the value in, or move this to a port",
    },
    Ban {
        below: "crates/centers/",
        except: "",
        words: "fjall lsm_tree connectrpc axum hyper http tonic serde_json tokio::net std::fs std::net redis \
                tokio_postgres SystemTime Instant",
        remedy: "centers are written on the ports alone: add what you need to a trait of `ports`",
    },
    Ban {
        below: "sim/oracle/",
        except: "",
        words: "sight visible home_hides decide is_widened_by takes Item Relation",
        remedy: "the definition of home shares no rule with the product: write it out",
    },
    Ban {
        below: "crates/model/ crates/ports/ crates/rows/ crates/memory/ crates/shard/ crates/embedded/ crates/postgres/ \
                crates/cluster/ crates/search/",
        except: "",
        words: "serde_json connectrpc axum hyper tonic prost",
        remedy: "only `rim` and `api` know proto and JSON: convert there",
    },
    Ban {
        below: "crates/",
        except: "crates/embedded/src/engine/",
        words: "fjall lsm_tree",
        remedy: "only crates/embedded/src/engine names the storage engine: give it a function there",
    },
    Ban {
        below: "crates/",
        except: "crates/search/src/engine/",
        words: "tantivy",
        remedy: "only crates/search/src/engine names the search library: give it a function there",
    },
    Ban {
        below: "crates/",
        except: "crates/guanxi/ crates/server/",
        words: "SystemTime getrandom fastrand rand::",
        remedy: "time and randomness come in as parameters: take a `Clock`, or the bytes",
    },
    Ban {
        below: "crates/ xtask/",
        // The load generator, the client and the ports over it speak the API and serve no caller.
        except: "crates/rim/ crates/api/ crates/client/ crates/proto/ crates/load/ crates/remote/",
        words: "guanxi_proto",
        remedy: "only `rim` and `api` know proto: convert there, and hand model types on",
    },
    Ban {
        below: "crates/ xtask/",
        except: "crates/embedded/ crates/server/",
        words: "guanxi_embedded",
        remedy: "only crates/server names a backend: give it a function that returns a port",
    },
    Ban {
        below: "crates/ xtask/",
        except: "crates/cluster/ crates/server/",
        words: "guanxi_cluster",
        remedy: "only crates/server names a backend: give it a function that returns a port",
    },
    Ban {
        below: "crates/",
        except: "crates/postgres/src/ crates/cluster/src/",
        words: "tokio_postgres",
        remedy: "only crates/postgres and crates/cluster name PostgreSQL: give it a function there",
    },
    Ban {
        below: "crates/",
        // A place goes over the wire as two numbers, and the fan-out keeps those of one log in order.
        except: "crates/model/ crates/rows/ crates/memory/ crates/shard/ crates/embedded/ crates/cluster/ \
                 crates/spec/ crates/api/src/convert.rs crates/centers/src/feed/fanout/",
        words: ".seq",
        remedy: "outside the model and the backends a position is opaque: compare by its methods",
    },
];

/// Whether a list has a word.
fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|one| one == word)
}

/// Compares the packages and the sources with the tables above.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let mut complaints: Vec<String> = tree.packages.iter().flat_map(package).collect();
    complaints.extend(tree.sources().flat_map(|file| BANS.iter().flat_map(|ban| banned(file, ban))));
    complaints
}

fn package(package: &super::tree::Package) -> Vec<String> {
    let short = package.name.strip_prefix("guanxi-").unwrap_or(&package.name);
    let Some(rule) = ARROWS.iter().find(|rule| rule.name == short) else {
        let name = &package.name;
        return vec![format!("{name}: a new crate needs a row in ARROWS of xtask/src/tidy/arrows.rs")];
    };
    let mut complaints = Vec::new();
    for (dependency, dev) in &package.dependencies {
        let ours = if dependency == "guanxi" { Some("guanxi") } else { dependency.strip_prefix("guanxi-") };
        let allowed = match (ours, rule.foreign) {
            (Some(name), _) => has(rule.ours, name) || (*dev && has(rule.in_tests, name)),
            (None, Some(foreign)) => *dev || has(foreign, dependency),
            (None, None) => true,
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
    let starts = |folders: &str| folders.split_whitespace().any(|folder| file.path.starts_with(folder));
    if !starts(ban.below) || starts(ban.except) {
        return Vec::new();
    }
    let code = file.product_code();
    let mut complaints = Vec::new();
    for word in ban.words.split_whitespace() {
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
        assert_eq!(package_with("guanxi-server", "guanxi-remote", true), Vec::<String>::new());
        assert_eq!(
            package_with("guanxi-server", "guanxi-remote", false).len(),
            1,
            "no product crate is made on a proof"
        );
        assert_eq!(
            package_with("guanxi-api", "guanxi-testkit", true).len(),
            1,
            "tests use nothing above their crate"
        );
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
