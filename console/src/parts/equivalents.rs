//! A call as a program makes it: by curl, TypeScript and Python, to be copied.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::texts::Text;
use crate::visit::Visit;

/// A value of a request.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Texts(Vec<String>),
    True,
}

impl From<u64> for Value {
    /// Ids are strings in JSON.
    fn from(id: u64) -> Self {
        Self::Text(id.to_string())
    }
}

/// A call of the main listener.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    pub(crate) service: &'static str,
    pub(crate) method: &'static str,
    pub(crate) fields: Vec<(&'static str, Value)>,
}

impl Called {
    /// The request. A text in it is written alike in JSON, TypeScript and Python, and between single quotes of a shell.
    fn request(&self, yes: &str) -> String {
        let mut written = String::from("{");
        for (place, (name, value)) in self.fields.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            let _ = write!(written, "{comma}\"{name}\":");
            match value {
                Value::Text(text) => quote(&mut written, text),
                Value::True => written.push_str(yes),
                Value::Texts(texts) => {
                    for (place, text) in texts.iter().enumerate() {
                        written.push(if place > 0 { ',' } else { '[' });
                        quote(&mut written, text);
                    }
                    written.push(']');
                }
            }
        }
        written.push('}');
        written
    }

    fn curl(&self, to: &Server<'_>) -> String {
        let body = self.request("true");
        curl(to, self.service, self.method, &body)
    }

    fn typescript(&self, to: &Server<'_>) -> String {
        let token = if to.asks { ", { token: process.env.TOKEN }" } else { "" };
        let mut method = self.method.to_owned();
        method[..1].make_ascii_lowercase();
        format!(
            "import {{ GuanxiClient }} from \"guanxi-client\";\nconst client = new GuanxiClient(\"{}\"{token});\nawait client.{method}({});",
            to.url,
            self.request("true")
        )
    }

    fn python(&self, to: &Server<'_>) -> String {
        let (import, token) =
            if to.asks { ("import os\n", ", token=os.environ[\"TOKEN\"]") } else { ("", "") };
        let mut method = String::new();
        for (place, letter) in self.method.chars().enumerate() {
            if place > 0 && letter.is_ascii_uppercase() {
                method.push('_');
            }
            method.push(letter.to_ascii_lowercase());
        }
        format!(
            "{import}from guanxi_client import Client\nclient = Client(\"{}\"{token})\nclient.{method}({})",
            to.url,
            self.request("True")
        )
    }
}

/// Where a call goes to.
struct Server<'a> {
    url: &'a str,
    /// Whether it asks for a token.
    asks: bool,
}

fn curl(to: &Server<'_>, service: &str, method: &str, body: &str) -> String {
    let token = if to.asks { " -H \"authorization: Bearer $TOKEN\"" } else { "" };
    let url = to.url;
    format!("curl -H 'content-type: application/json'{token} -d '{body}' {url}/guanxi.v1.{service}/{method}")
}

/// Writes a text between double quotes. What a reader would not see, or would see at another place, is written as its number.
fn quote(written: &mut String, text: &str) {
    written.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => written.extend(['\\', letter]),
            _ if letter.is_control() || is_hidden(letter) => {
                let _ = write!(written, "\\u{:04x}", u32::from(letter));
            }
            _ => written.push(letter),
        }
    }
    written.push('"');
}

/// Whether a letter would end a text of a shell, or changes what a reader sees of the letters around it.
const fn is_hidden(letter: char) -> bool {
    matches!(
        letter,
        '\'' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    )
}

/// Shows calls as programs make them.
pub(crate) fn equivalents(visit: &Visit, calls: &[Called]) -> Markup {
    let asks = visit.console.desk.anybody().is_none();
    let to = Server { url: &visit.console.api_url, asks };
    let all = |write: &dyn Fn(&Called) -> String| calls.iter().map(write).collect::<Vec<_>>().join("\n\n");
    let curl = all(&|call| call.curl(&to));
    let typescript = all(&|call| call.typescript(&to));
    let python = all(&|call| call.python(&to));
    shown(visit, &[("curl", curl), ("TypeScript", typescript), ("Python", python)], asks)
}

/// Shows a call of AdminService, whose request is JSON without texts of users.
pub(crate) fn admin_equivalent(visit: &Visit, method: &str, body: &str) -> Markup {
    let asks = visit.console.desk.anybody().is_none();
    let to = Server { url: &visit.console.admin_url, asks };
    shown(visit, &[("curl", curl(&to, "AdminService", method, body))], asks)
}

fn shown(visit: &Visit, codes: &[(&str, String)], asks: bool) -> Markup {
    html! {
        section #did aria-labelledby="same" {
            h2 #same { (visit.say(Text::SameCall)) }
            @if asks { p.soft { (visit.say(Text::SameCallToken)) } }
            @for (language, code) in codes {
                @let id = format!("code-{}", language.to_ascii_lowercase());
                div.row {
                    h3 { (language) }
                    button type="button" data-copy-of=(id) data-copied=(visit.say(Text::Copied))
                        aria-label={ (visit.say(Text::Copy)) " " (language) } { (visit.say(Text::Copy)) }
                }
                pre id=(id) dir="ltr" tabindex="0" { (code) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_a_text_in_every_language() {
        let hostile = "it's \"$(rm)\" \\ `x`\n\u{202e}\u{7f}\u{5173}";
        let fields = vec![("author", Value::from(7)), ("text", Value::Text(hostile.to_owned()))];
        let call = Called { service: "PostService", method: "CreatePost", fields };
        let to = Server { url: "http://127.0.0.1:1", asks: true };
        let body = r#"{"author":"7","text":"it\u0027s \"$(rm)\" \\ `x`\u000a\u202e\u007f关"}"#;
        assert_eq!(
            call.curl(&to),
            format!(
                "curl -H 'content-type: application/json' -H \"authorization: Bearer $TOKEN\" -d '{body}' \
                 http://127.0.0.1:1/guanxi.v1.PostService/CreatePost"
            )
        );
        assert!(call.typescript(&to).ends_with(&format!("await client.createPost({body});")));
        assert!(call.python(&to).ends_with(&format!("client.create_post({body})")));
    }

    #[test]
    fn a_list_and_a_truth_are_of_their_language() {
        let ids = Value::Texts(vec!["a".to_owned(), "b".to_owned()]);
        let fields = vec![("externalIds", ids), ("create", Value::True)];
        let call = Called { service: "UserService", method: "ResolveIds", fields };
        let to = Server { url: "http://127.0.0.1:1", asks: false };
        assert!(call.curl(&to).contains(r#"-d '{"externalIds":["a","b"],"create":true}' http"#));
        assert_eq!(
            call.python(&to),
            "from guanxi_client import Client\nclient = Client(\"http://127.0.0.1:1\")\n\
             client.resolve_ids({\"externalIds\":[\"a\",\"b\"],\"create\":True})"
        );
    }
}
