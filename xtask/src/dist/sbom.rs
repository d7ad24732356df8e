//! What the binary is made of: a bill of materials in CycloneDX, from `cargo metadata`.
//!
//! Written by hand, since the format's own library would bring some sixty crates for one document of a few fields.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// Returns the document: each crate that is linked into the binary, and what it depends on.
///
/// # Errors
/// When the metadata is not as cargo writes it.
pub(super) fn of(metadata: &Value, version: &str) -> Result<String, String> {
    let nodes: BTreeMap<&str, &Value> = entries(&metadata["resolve"]["nodes"])?;
    let packages: BTreeMap<&str, &Value> = entries(&metadata["packages"])?;
    let root = packages.values().find(|package| package["name"] == "guanxi");
    let root = root.and_then(|package| package["id"].as_str()).ok_or("there is no package guanxi")?;
    let linked = linked(root, &nodes);
    let purl = |id: &str| {
        let package = &packages[id];
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        format!("pkg:cargo/{}@{}", text("name"), text("version"))
    };
    let components: Vec<Value> = linked
        .keys()
        .filter(|id| **id != root)
        .map(|id| {
            let package = &packages[id];
            json!({
                "type": "library",
                "bom-ref": purl(id),
                "name": package["name"],
                "version": package["version"],
                "purl": purl(id),
                "licenses": [{ "expression": spdx(package["license"].as_str().unwrap_or("NOASSERTION")) }],
            })
        })
        .collect();
    let dependencies: Vec<Value> = linked
        .iter()
        .map(|(id, on)| json!({ "ref": purl(id), "dependsOn": on.iter().map(|id| purl(id)).collect::<Vec<_>>() }))
        .collect();
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": purl(root), "name": "guanxi", "version": version, "purl": purl(root),
        } },
        "components": components,
        "dependencies": dependencies,
    });
    serde_json::to_string_pretty(&document).map_err(|error| error.to_string())
}

/// Older crates write `MIT/Apache-2.0` where the standard has `MIT OR Apache-2.0`.
fn spdx(license: &str) -> String {
    license.replace('/', " OR ")
}

/// The entries of a list by their id.
fn entries(list: &Value) -> Result<BTreeMap<&str, &Value>, String> {
    let list = list.as_array().ok_or("cargo metadata has no list where one was expected")?;
    Ok(list.iter().filter_map(|entry| Some((entry["id"].as_str()?, entry))).collect())
}

/// What is reached from a package over ordinary dependencies, and what each of them depends on: neither what only
/// builds nor what only tests need, of which nothing is in the binary.
fn linked<'a>(root: &'a str, nodes: &BTreeMap<&'a str, &'a Value>) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut linked = BTreeMap::new();
    let mut next = vec![root];
    while let Some(id) = next.pop() {
        if linked.contains_key(id) {
            continue;
        }
        let on =
            nodes.get(id).and_then(|node| node["deps"].as_array()).map(Vec::as_slice).unwrap_or_default();
        let ordinary = |dep: &&Value| {
            let kinds = dep["dep_kinds"].as_array().map(Vec::as_slice).unwrap_or_default();
            kinds.iter().any(|kind| kind["kind"].is_null())
        };
        let on: BTreeSet<&str> = on.iter().filter(ordinary).filter_map(|dep| dep["pkg"].as_str()).collect();
        next.extend(&on);
        linked.insert(id, on);
    }
    linked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_listed_and_what_only_builds_or_tests_is_not() {
        let package =
            |name: &str| json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0" });
        let dep = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let packages = ["guanxi", "a", "b", "build", "dev"].map(package);
        let metadata = json!({
            "packages": packages,
            "resolve": { "nodes": [
                { "id": "guanxi", "deps": [dep("a", Value::Null), dep("build", "build".into()), dep("dev", "dev".into())] },
                { "id": "a", "deps": [dep("b", Value::Null)] },
            ] },
        });
        let bom: Value = serde_json::from_str(&of(&metadata, "1.0.0").unwrap()).unwrap();
        assert_eq!((&bom["bomFormat"], &bom["specVersion"]), (&"CycloneDX".into(), &"1.5".into()));
        let names: Vec<&str> = bom["components"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|component| component["name"].as_str())
            .collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(bom["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        let on_a =
            bom["dependencies"].as_array().unwrap().iter().find(|entry| entry["ref"] == "pkg:cargo/a@1.0.0");
        assert_eq!(on_a.unwrap()["dependsOn"], json!(["pkg:cargo/b@1.0.0"]));
    }

    #[test]
    fn the_bill_of_this_workspace_names_what_everybody_knows() {
        let metadata = super::super::build::metadata("x86_64-unknown-linux-gnu").unwrap();
        let bom: Value = serde_json::from_str(&of(&metadata, "x").unwrap()).unwrap();
        let names: Vec<&str> = bom["components"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|component| component["name"].as_str())
            .collect();
        for name in ["tokio", "fjall", "guanxi-model", "connectrpc"] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(!names.contains(&"proptest") && !names.contains(&"xtask"));
    }
}
