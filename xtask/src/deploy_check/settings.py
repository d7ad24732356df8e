"""Prints, for each container of the manifests in a folder, its settings: one JSON object a line."""
import json
import pathlib
import sys

import yaml

texts = [path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.yaml"))]
objects = [each for text in texts for each in yaml.safe_load_all(text)]
files = [each["data"]["guanxi.toml"] for each in objects if each["kind"] == "ConfigMap"]
secrets = {each["metadata"]["name"]: each["stringData"] for each in objects if each["kind"] == "Secret"}


def value(env):
    source = env.get("valueFrom", {})
    if "secretKeyRef" in source:
        return secrets[source["secretKeyRef"]["name"]][source["secretKeyRef"]["key"]]
    return env["value"].replace("$(POD_IP)", "10.1.2.3") if "value" in env else "10.1.2.3"


for each in objects:
    for container in each.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
        env = {one["name"]: value(one) for one in container.get("env", [])}
        print(json.dumps({"name": each["metadata"]["name"], "file": files[0], "env": env, "args": container["args"]}))
