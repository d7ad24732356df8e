//! Protos to Rust: protox compiles, connectrpc-build writes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use prost::Message as _;
use prost_types::FileDescriptorSet;

use super::api::Api;
use super::bounds::is_of_requests;
use super::{handlers, methods, openapi, packages, reference, unused};

/// The protos, below `proto/`.
const PROTOS: &[&str] = &[
    "google/rpc/error_details.proto",
    "guanxi/v1/affinity.proto",
    "guanxi/v1/audit.proto",
    "guanxi/v1/overview.proto",
    "guanxi/v1/suggestion.proto",
    "guanxi/v1/group.proto",
    "guanxi/v1/relation.proto",
    "guanxi/v1/history.proto",
    "guanxi/v1/post.proto",
    "guanxi/v1/group_timeline.proto",
    "guanxi/v1/feed.proto",
    "guanxi/v1/search.proto",
    "guanxi/v1/shards.proto",
    "guanxi/v1/user.proto",
    "guanxi/v1/admin.proto",
];

/// Those of services that connectrpc has the code of. Their descriptors are served, so that reflection can describe
/// all that it lists.
const DESCRIBED: &[&str] = &[
    "grpc/health/v1/health.proto",
    "grpc/reflection/v1/reflection.proto",
    "grpc/reflection/v1alpha/reflection.proto",
];

/// Where the code goes.
const CODE: &str = "crates/proto/src/gen";

/// Where the reference goes.
const REFERENCE: &str = "docs/api.md";

/// Which functions answer calls.
const HANDLERS: &str = "crates/api/src/gen/handlers.rs";

/// What the Rust client knows of methods.
const RUST_CALLS: &str = "crates/client/src/gen/calls.rs";

/// The types of the package for TypeScript.
const TYPESCRIPT_TYPES: &str = "clients/typescript/src/messages.d.ts";

/// What that package knows of methods.
const JAVASCRIPT_METHODS: &str = "clients/typescript/src/methods.js";

/// The types of the package for Python.
const PYTHON_MESSAGES: &str = "clients/python/guanxi_client/messages.py";

/// Which fields that package sends as texts.
const PYTHON_FIELDS: &str = "clients/python/guanxi_client/fields.py";

/// The methods of that package.
const PYTHON_CALLS: &str = "clients/python/guanxi_client/calls.py";

/// The same for asyncio.
const PYTHON_AIO_CALLS: &str = "clients/python/guanxi_client/aio_calls.py";

/// The descriptors of all protos, for reflection and the OpenAPI document.
const DESCRIPTORS: &str = "descriptor.bin";

/// The names of all requests, for the fuzz target of what they are read from.
const REQUESTS: &str = "requests.rs";

/// The OpenAPI document.
const OPENAPI: &str = "openapi.json";

/// Hashes of the protos that the code was generated from, so that a test without compilers notices stale code.
const SOURCES: &str = "sources.txt";

/// Generated files by their path from the root.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Writes the generated code of the workspace at `root`; with `check` only compares it with what is there.
///
/// # Errors
/// A message for the terminal, when a proto does not compile or (with `check`) the files differ.
pub(crate) fn run(root: &Path, check: bool) -> Result<(), String> {
    let files = generate(root)?;
    let stale = stale(root, &files)?;
    if check {
        return if stale.is_empty() {
            Ok(())
        } else {
            Err(format!("stale: {}; run `cargo xtask codegen` and commit what it writes", stale.join(", ")))
        };
    }
    write(root, &files)
}

/// Generates everything in memory.
fn generate(root: &Path) -> Result<Files, String> {
    let protos = root.join("proto");
    let descriptors = compile(&protos)?;
    let api = &Api::of(&descriptors);
    let scratch = root.join("target").join("codegen");
    let code = write_code(&descriptors, api, &scratch)?;
    let mut files: Files =
        code.into_iter().map(|(name, text)| (Path::new(CODE).join(name), text.into_bytes())).collect();
    files.insert(Path::new(CODE).join(DESCRIPTORS), without_comments(&descriptors).encode_to_vec());
    files.insert(Path::new(CODE).join(OPENAPI), openapi::document(api).into_bytes());
    files.insert(Path::new(CODE).join(SOURCES), sources(&protos)?.into_bytes());
    files.insert(PathBuf::from(REFERENCE), reference::markdown(api).into_bytes());
    files.insert(Path::new(CODE).join(REQUESTS), methods::requests(api).into_bytes());
    for (path, text) in [
        (HANDLERS, handlers::lists(root, &descriptors)?),
        (RUST_CALLS, methods::rust_table(api)),
        (TYPESCRIPT_TYPES, packages::typescript(api)),
        (JAVASCRIPT_METHODS, packages::javascript(api)),
        (PYTHON_MESSAGES, packages::python_messages(api)),
        (PYTHON_FIELDS, packages::python_fields(api)),
        (PYTHON_CALLS, packages::python_calls(api)),
        (PYTHON_AIO_CALLS, packages::python_aio_calls(api)),
    ] {
        files.insert(PathBuf::from(path), text.into_bytes());
    }
    Ok(files)
}

fn compile(protos: &Path) -> Result<FileDescriptorSet, String> {
    let mut compiler = protox::Compiler::new([protos]).map_err(|error| error.to_string())?;
    compiler.include_imports(true).include_source_info(true);
    for name in PROTOS.iter().chain(DESCRIBED) {
        compiler.open_file(name).map_err(|error| format!("{error:?}"))?;
    }
    Ok(compiler.file_descriptor_set())
}

/// Lets connectrpc-build write into an empty scratch directory and reads back what it wrote.
fn write_code(
    descriptors: &FileDescriptorSet,
    api: &Api<'_>,
    scratch: &Path,
) -> Result<BTreeMap<PathBuf, String>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", scratch.display());
    if scratch.exists() {
        fs::remove_dir_all(scratch).map_err(failed)?;
    }
    fs::create_dir_all(scratch).map_err(failed)?;
    let set = scratch.join("set.bin");
    fs::write(&set, descriptors.encode_to_vec()).map_err(failed)?;
    let out = scratch.join("out");
    connectrpc_build::Config::new()
        .buffa_config(message_settings(api))
        .files(PROTOS)
        .descriptor_set(&set)
        .out_dir(&out)
        .include_file("mod.rs")
        .emit_rerun_directives(false)
        .compile()
        .map_err(|error| format!("{error:#}"))?;
    let mut code = BTreeMap::new();
    for entry in fs::read_dir(&out).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = PathBuf::from(path.file_name().expect("read_dir lists names"));
        let text = fs::read_to_string(&path).map_err(failed)?;
        code.insert(name, with_shared_calls(&with_empty_lists(&text)));
    }
    unused::without(code)
}

/// Drops what keeps empty lists out of JSON: a list of an answer is there whether it has items or not, so that a
/// program can go through it without asking. The generator has no switch for it.
fn with_empty_lists(code: &str) -> String {
    const SKIP: &str = "skip_serializing_if = \"::buffa::json_helpers::skip_if::is_empty_vec\"";
    let lines = code.split_inclusive('\n');
    let mut kept = String::with_capacity(code.len());
    for line in lines {
        if line.trim().trim_end_matches(',') == SKIP {
            continue;
        }
        kept.push_str(line);
    }
    kept
}

/// Has the typed clients make their calls by `crates/proto/src/unary.rs`, which is compiled once and not for each message. The
/// generator has no switch for it.
fn with_shared_calls(code: &str) -> String {
    code.replace("::connectrpc::client::call_unary(", "crate::unary::call(")
        .replace("::connectrpc::client::UnaryResponse<", "crate::unary::UnaryAnswer<")
}

/// Requests refuse unknown JSON fields, since a misspelt field must not be taken for an absent one; answers accept
/// them, so that old clients read new servers.
fn message_settings(api: &Api<'_>) -> connectrpc_build::CodeGenConfig {
    let mut settings = connectrpc_build::CodeGenConfig::default();
    settings.generate_json = true;
    settings.preserve_unknown_fields = false;
    settings.generate_with_setters = false;
    settings.emit_register_fn = false;
    for file in &api.0 {
        for name in file.messages.iter().map(|message| message.proto.name()) {
            if is_of_requests(name) {
                let path = format!(".{}.{name}", file.proto.package());
                settings.message_attributes.push((path, "#[serde(deny_unknown_fields)]".to_owned()));
            }
        }
    }
    settings
}

fn without_comments(descriptors: &FileDescriptorSet) -> FileDescriptorSet {
    let mut bare = descriptors.clone();
    for file in &mut bare.file {
        file.source_code_info = None;
    }
    bare
}

/// One line per proto: FNV-1a of its bytes, and its name. The test in crates/proto computes the same.
fn sources(protos: &Path) -> Result<String, String> {
    let mut lines = String::new();
    for name in PROTOS.iter().chain(DESCRIBED) {
        let bytes = fs::read(protos.join(name)).map_err(|error| format!("{name}: {error}"))?;
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        });
        let _ = writeln!(lines, "{hash:016x} {name}");
    }
    Ok(lines)
}

/// Names the files that differ from the generated ones, are missing, or are left over.
fn stale(root: &Path, files: &Files) -> Result<Vec<String>, String> {
    let mut stale: Vec<String> = files
        .iter()
        .filter(|(path, text)| fs::read(root.join(path)).ok().as_ref() != Some(text))
        .map(|(path, _)| path.display().to_string())
        .collect();
    stale.extend(left_over(root, files)?.iter().map(|path| path.display().to_string()));
    Ok(stale)
}

fn left_over(root: &Path, files: &Files) -> Result<Vec<PathBuf>, String> {
    let Ok(entries) = fs::read_dir(root.join(CODE)) else { return Ok(Vec::new()) };
    let mut left = Vec::new();
    for entry in entries {
        let name = entry.map_err(|error| format!("{CODE}: {error}"))?.file_name();
        let path = Path::new(CODE).join(name);
        if !files.contains_key(&path) {
            left.push(path);
        }
    }
    Ok(left)
}

fn write(root: &Path, files: &Files) -> Result<(), String> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    for path in left_over(root, files)? {
        fs::remove_file(root.join(&path)).map_err(|error| failed(&path, error))?;
    }
    for (path, text) in files {
        let target = root.join(path);
        let directory = target.parent().expect("every generated file is in a directory");
        fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
        // An unchanged file keeps its time, so that nothing is built again for it.
        if fs::read(&target).ok().as_ref() != Some(text) {
            fs::write(&target, text).map_err(|error| failed(path, error))?;
        }
    }
    Ok(())
}
