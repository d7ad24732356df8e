//! The OpenAPI document against the server that it describes: schemathesis makes requests of it, right ones and wrong
//! ones, and holds every answer against it.

use super::run::{Ran, Scratch, Server, run};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is accepted as the answer to a request that the document does not allow.
const CONFIG: &str = "\
[checks]
positive_data_acceptance.enabled = false # whether a request is right depends on the state, too
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 409, 414, 415, 429, 431]
";

/// Seconds of the run; `cargo xtask schemathesis` takes more.
const SECONDS: u64 = 40;

/// Where the tool is; `cargo xtask setup` installs it.
fn tool() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/schemathesis/bin/schemathesis");
    assert!(path.exists(), "schemathesis is missing: run `cargo xtask setup`, which installs it");
    path
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// The document with what JSON of protobuf accepts beyond it: `null` for an absent field, and the number of an enum's
/// value. It is not told to people, who would write neither.
fn as_protobuf_reads(mut document: Value) -> Value {
    for schema in document["components"]["schemas"].as_object_mut().unwrap().values_mut() {
        if schema["additionalProperties"] != json!(false) {
            continue;
        }
        let required = schema["required"].clone();
        let is_required =
            |name: &str| required.as_array().is_some_and(|names| names.iter().any(|one| one == name));
        for (name, property) in schema["properties"].as_object_mut().unwrap() {
            if !is_required(name) {
                *property = json!({ "anyOf": [property.take(), { "type": "null" }, { "type": "integer" }] });
                if property["anyOf"][0].get("$ref").is_none() {
                    property["anyOf"].as_array_mut().unwrap().pop();
                }
            }
        }
    }
    for item in document["paths"].as_object_mut().unwrap().values_mut() {
        // Any value of these is one: other than `1` means no base64, and nothing is compressed then.
        if let Some(parameters) = item.get_mut("get").and_then(|get| get["parameters"].as_array_mut()) {
            parameters
                .retain(|parameter| parameter["name"] != "base64" && parameter["name"] != "compression");
        }
    }
    document
}

#[test]
fn the_server_does_what_the_openapi_document_says() {
    let tool = tool();
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let server = Server::start(&dir, &[]);
    let admin_token = scratch.arg("data/admin-token");
    let target = ["--server", server.admin.as_str(), "--token-file", admin_token.as_str()];
    let secret = run(&[&["token", "create", "t", "--service", "read,write"], &target[..]].concat());
    assert_eq!(secret.code, 0, "{secret:?}");
    let fetched =
        Command::new("curl").args(["-sS", &format!("{}/openapi.json", server.api)]).output().unwrap();
    let document = as_protobuf_reads(serde_json::from_slice(&fetched.stdout).expect("the document is JSON"));
    let document = scratch.file("openapi.json", document.to_string());
    let config = scratch.file("schemathesis.toml", CONFIG);
    let seconds = number("GUANXI_SCHEMATHESIS_SECONDS", SECONDS).to_string();
    let seed = number("GUANXI_SCHEMATHESIS_SEED", 1).to_string();
    let ran = Command::new(tool)
        .args(["--config-file", &config, "run", &document, "--url", &server.api, "--no-color"])
        .args(["--header", &format!("Authorization: Bearer {}", secret.stdout.trim())])
        // The operator's calls are on the other listener, and streams are no JSON.
        .args([
            "--exclude-tag",
            "AdminService",
            "--exclude-path-regex",
            "/(Watch|StreamHomeTimeline|ExportUser)$",
        ])
        .args(["--phases", "coverage,fuzzing", "--max-time", &seconds, "--seed", &seed])
        .args(["--max-examples", "10", "--suppress-health-check", "all", "--warnings", "off"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "seed {seed}:\n{told}\n{}", String::from_utf8_lossy(&ran.stderr));
    let tested = told.lines().find_map(|line| line.trim().strip_prefix("Tested: ")).expect("a summary");
    assert!(tested.parse::<u32>().unwrap() >= 60, "operations were left out: {told}");
    println!("{told}");
}

/// A program of what `cargo xtask setup` installs for checks.
fn check(path: &str) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/checks").join(path);
    assert!(path.exists(), "{} is missing: run `cargo xtask setup`, which installs it", path.display());
    Command::new(path)
}

/// What a program finds in the types that are made of the document: requests have what they need, uids may be ids of
/// the caller's own, and maps are maps.
const TYPED: &str = "\
import type { components } from './api.js';
type Of<Name extends keyof components['schemas']> = components['schemas'][Name];
export const follow: Of<'FollowRequest'> = { subject: 'ext:0192d3a4', object: 2 };
export const update: Of<'UpdateUserRequest'> = { attributes: { city: 'Berlin' } };
export const city: string | undefined = ({} as Of<'User'>).attributes?.['city'];
// @ts-expect-error: whom?
export const nobody: Of<'FollowRequest'> = { subject: '1' };
// @ts-expect-error: a map of texts
export const wrong: Of<'UpdateUserRequest'> = { attributes: { city: 5 } };
";

#[test]
fn the_openapi_document_is_valid_as_it_stands_and_types_are_made_of_it() {
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &[]);
    let (document, types) = (scratch.arg("openapi.json"), scratch.arg("api.d.ts"));
    let url = format!("{}/openapi.json", server.api);
    let fetched = Ran::of(Command::new("curl").args(["-sSf", "-o", &document, &url]));
    assert_eq!(fetched.code, 0, "{fetched:?}");
    let told = |ran: &Ran| ran.stderr.chars().take(2_000).collect::<String>();
    let mut python = check(".venv/bin/python");
    let valid = Ran::of(python.args(["-m", "openapi_spec_validator", &document]));
    assert_eq!(valid.code, 0, "{} {}", valid.stdout.chars().take(2_000).collect::<String>(), told(&valid));
    let made = Ran::of(check("node_modules/.bin/openapi-typescript").args([&document, "-o", &types]));
    assert_eq!(made.code, 0, "{}", told(&made));
    let program = scratch.file("typed.ts", TYPED);
    scratch.file("package.json", r#"{ "type": "module" }"#);
    let options = ["--noEmit", "--strict", "--target", "ES2022", "--module", "NodeNext"];
    let compiled = Ran::of(check("node_modules/.bin/tsc").args(options).arg(program));
    assert_eq!(compiled.code, 0, "{}", compiled.stdout);
}
