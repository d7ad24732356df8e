//! The OpenAPI document: every method as the calls that it is over plain HTTP.

use std::collections::BTreeMap;

use prost_types::MethodDescriptorProto;
use prost_types::method_options::IdempotencyLevel;
use serde_json::{Map, Value, json};

use super::acting::Acting;
use super::api::{Api, File, Item, line, short};
use super::reasons::{self, Common, Known};
use super::schemas;

/// The service of the operator's listener.
const ADMIN: &str = "AdminService";

/// Writes the document of all our own services.
pub(super) fn document(api: &Api<'_>) -> String {
    let (mut paths, mut schemas, mut tags) = (Map::new(), Map::new(), Vec::new());
    error_schemas(&mut schemas);
    let acting = Acting::of(api);
    let common = Common::of(api);
    for file in &api.0 {
        services(file, &common, &mut paths, &mut tags);
        for word in &file.enums {
            schemas.insert(word.proto.name().to_owned(), schemas::enumeration(word));
        }
        for message in &file.messages {
            let name = message.proto.name();
            schemas.insert(name.to_owned(), schemas::message(file.proto, message, &acting));
            for word in &message.enums {
                schemas.insert(format!("{name}.{}", word.proto.name()), schemas::enumeration(word));
            }
        }
    }
    let responses = share_refusals(&mut paths);
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "guanxi",
            "version": "v1",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
            "description": "The same methods are on the same port in gRPC, gRPC-Web and the binary Connect protocol.",
        },
        "servers": [server("7420", "The main listener, at its default address.")],
        "security": [{ "bearer": [] }],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": {
                "type": "http",
                "scheme": "bearer",
                "description": "A token that `guanxi token create` made. A server with `--no-auth` needs none.",
            } },
            "parameters": { "guanxi-ids": {
                "name": "guanxi-ids",
                "in": "header",
                "schema": { "type": "string", "enum": ["external"] },
                "description": "The answer has uids in the form `ext:ID`, with your external ids, for users with an external id.",
            } },
            "responses": responses,
            "schemas": schemas,
        },
    });
    let mut text = serde_json::to_string_pretty(&document).expect("a value is always JSON");
    text.push('\n');
    text
}

/// Calls are refused in few ways, which many of them share: each becomes a component, named after its status and numbered
/// in the order of the paths, and the calls point to it.
fn share_refusals(paths: &mut Map<String, Value>) -> Map<String, Value> {
    let mut shared: Map<String, Value> = Map::new();
    let calls = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    for responses in calls.filter_map(|call| call.get_mut("responses")?.as_object_mut()) {
        for (status, response) in responses.iter_mut().filter(|(status, _)| *status != "200") {
            let same = shared.iter().find(|(name, other)| name.starts_with(status) && *other == response);
            let same = same.map(|(name, _)| name.clone());
            let name = same.unwrap_or_else(|| {
                let number = shared.keys().filter(|name| name.starts_with(status)).count() + 1;
                let name = format!("{status}.{number}");
                shared.insert(name.clone(), response.clone());
                name
            });
            *response = json!({ "$ref": format!("#/components/responses/{name}") });
        }
    }
    shared
}

fn server(port: &str, text: &str) -> Value {
    json!({ "url": format!("http://127.0.0.1:{port}"), "description": text })
}

fn services(file: &File<'_>, common: &Common, paths: &mut Map<String, Value>, tags: &mut Vec<Value>) {
    for service in &file.services {
        let name = service.proto.name();
        tags.push(json!({ "name": name, "description": service.about }));
        for Item { proto: method, about } in &service.methods {
            let path = format!("/{}.{name}/{}", file.proto.package(), method.name());
            let call = Call { service: name, method, text: about, common };
            let mut item = json!({ "post": call.post() });
            if call.is_read() {
                item["get"] = call.get();
            }
            if name == ADMIN {
                item["servers"] = json!([server("7421", "The admin listener, at its default address.")]);
            }
            paths.insert(path, item);
        }
    }
}

/// One method.
struct Call<'a> {
    service: &'a str,
    method: &'a MethodDescriptorProto,
    text: &'a str,
    common: &'a Common,
}

impl Call<'_> {
    /// Whether it also answers GET.
    fn is_read(&self) -> bool {
        let options = self.method.options.as_ref();
        options.is_some_and(|options| options.idempotency_level() == IdempotencyLevel::NoSideEffects)
    }

    fn kind(&self) -> &'static str {
        if self.method.server_streaming() { "application/connect+json" } else { "application/json" }
    }

    fn operation(&self, suffix: &str) -> Value {
        let summary = self.text.split("\n\n").next().map(line).unwrap_or_default();
        let mut operation = json!({
            "operationId": format!("{}_{}{suffix}", self.service, self.method.name()),
            "tags": [self.service],
            "summary": summary,
            "description": self.text,
            "responses": self.responses(),
            "parameters": [{ "$ref": "#/components/parameters/guanxi-ids" }],
        });
        if self.needs_no_token() {
            operation["security"] = json!([]);
        }
        operation
    }

    /// Whether its comment says that it is a way in.
    fn needs_no_token(&self) -> bool {
        line(self.text).contains("Needs no token")
    }

    fn post(&self) -> Value {
        let mut post = self.operation("");
        let schema = of(self.method.input_type());
        post["requestBody"] = json!({ "required": true, "content": { self.kind(): { "schema": schema } } });
        post
    }

    /// The same call as Connect has it in a query.
    fn get(&self) -> Value {
        let mut get = self.operation("_get");
        let flag = |name: &str, values: Value, text: &str| {
            json!({
                "name": name,
                "in": "query",
                "required": name == "encoding",
                "schema": { "type": "string", "enum": values },
                "description": text,
            })
        };
        let more = json!([
            flag("connect", json!(["v1"]), "The version of the protocol."),
            flag("encoding", json!(["json"]), "The encoding of the message. The binary form is `proto`."),
            {
                "name": "message",
                "in": "query",
                "required": true,
                "content": { "application/json": { "schema": of(self.method.input_type()) } },
                "description": "The request in JSON, percent-encoded.",
            },
            flag("base64", json!(["1"]), "The message is in base64 for URLs."),
            flag("compression", json!(["identity", "gzip", "zstd"]), "The compression of the message, under base64."),
        ]);
        if let (Some(all), Value::Array(more)) = (get["parameters"].as_array_mut(), more) {
            all.extend(more);
        }
        // Refused while the head is read, before anything is known of the call.
        for (status, text) in [
            ("414", "The URI is too long: call with POST."),
            ("431", "The head of the request is too large."),
        ] {
            get["responses"][status] = json!({ "description": text });
        }
        get
    }

    fn responses(&self) -> Value {
        let streams = self.method.server_streaming();
        let answer = json!({
            "description": if streams { "A stream of messages. An error comes at the end." } else { "The answer." },
            "content": { self.kind(): { "schema": of(self.method.output_type()) } },
        });
        let mut responses = Map::from_iter([("200".to_owned(), answer)]);
        let mut by_status: BTreeMap<u16, Vec<Known>> = BTreeMap::new();
        for known in self.common.of_call(self.text, self.is_read()) {
            // A body that does not come in time has the same reason, and a status of its own.
            if known.name == "DEADLINE_EXCEEDED" {
                by_status.entry(408).or_default().push(known.clone());
            }
            by_status.entry(known.status).or_default().push(known);
        }
        for (status, known) in by_status {
            responses.insert(status.to_string(), refusal(status, &known));
        }
        Value::Object(responses)
    }
}

fn refusal(status: u16, known: &[Known]) -> Value {
    let lines: Vec<String> =
        known.iter().map(|known| format!("- `{}`: {}", known.name, known.text)).collect();
    let names: Vec<&str> = known.iter().map(|known| known.name.as_str()).collect();
    let mut answer = json!({
        "description": lines.join("\n"),
        "content": { "application/json": { "schema": of("Error") } },
        "x-reasons": names,
    });
    let header = match status {
        401 => Some(("WWW-Authenticate", "`Bearer`.")),
        405 => Some(("Allow", "The HTTP methods that the call accepts.")),
        _ => None,
    };
    if let Some((name, text)) = header {
        answer["headers"] = json!({ name: { "description": text, "schema": { "type": "string" } } });
    }
    answer
}

fn of(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{}", short(name)) })
}

fn error_schemas(schemas: &mut Map<String, Value>) {
    let all = reasons::all();
    let mut codes: Vec<&str> = all.values().map(|known| known.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let names: Vec<&String> = all.keys().collect();
    let lines: Vec<String> =
        all.values().map(|known| format!("- `{}`: {}", known.name, known.text)).collect();
    schemas.insert(
        "Reason".to_owned(),
        json!({
            "type": "string",
            "description": format!("The reason, for programs. The names in braces are keys of the metadata.\n\n{}", lines.join("\n")),
            "enum": names,
        }),
    );
    schemas.insert(
        "ErrorInfo".to_owned(),
        json!({
            "type": "object",
            "description": "A google.rpc.ErrorInfo.",
            "properties": {
                "reason": of("Reason"),
                "domain": { "const": "guanxi" },
                "metadata": { "type": "object", "additionalProperties": { "type": "string" } },
            },
            "required": ["reason", "domain", "metadata"],
        }),
    );
    schemas.insert(
        "RetryInfo".to_owned(),
        json!({
            "type": "object",
            "description": "A google.rpc.RetryInfo.",
            "properties": { "retryDelay": { "type": "string", "pattern": "^[0-9]+[.][0-9]{3}s$" } },
            "required": ["retryDelay"],
        }),
    );
    schemas.insert(
        "Error".to_owned(),
        json!({
            "type": "object",
            "description": "An error. Its first detail has the reason.",
            "properties": {
                "code": { "type": "string", "enum": codes, "description": "The class of the error." },
                "message": { "type": "string", "description": "A text for people, in English." },
                "details": {
                    "type": "array",
                    "minItems": 1,
                    "items": { "anyOf": [
                        detail("ErrorInfo", "The reason."),
                        detail("RetryInfo", "The time after which to retry."),
                    ] },
                },
            },
            "required": ["code", "message", "details"],
        }),
    );
}

/// One kind of detail of an error.
fn detail(name: &str, text: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            "type": { "const": format!("google.rpc.{name}") },
            "value": { "type": "string", "description": "The message, in base64 without padding." },
            "debug": of(name),
        },
        "required": ["type", "value", "debug"],
        "description": text,
    })
}
