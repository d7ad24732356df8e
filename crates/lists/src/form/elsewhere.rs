//! Lists as other programs write them, known by their shape. A file that is no table of lines is refused with a command that
//! makes one of it.

/// A shape, by texts in the first block, with a name for it and the command that makes lines of it.
struct Shape {
    /// All of these stand in the block.
    marks: &'static [&'static str],
    is: &'static str,
    todo: &'static str,
}

/// The shapes with more marks come first.
const SHAPES: [Shape; 11] = [
    Shape {
        marks: &["window.YTD.following.part"],
        is: "the list of whom one follows of an archive of Twitter (X)",
        todo: "sed '1s/^[^=]*=//' FILE | jq -r '.[].following.accountId' | guanxi import edges - --ids string --subject YOU",
    },
    Shape {
        marks: &["window.YTD.follower.part"],
        is: "the list of followers of an archive of Twitter (X)",
        todo: "sed '1s/^[^=]*=//' FILE | jq -r '.[].follower.accountId' | guanxi import edges - --ids string --object YOU",
    },
    Shape {
        marks: &["window.YTD.block.part"],
        is: "the list of blocks of an archive of Twitter (X)",
        todo: "sed '1s/^[^=]*=//' FILE | jq -r '.[].blocking.accountId' | guanxi import blocks - --ids string --subject YOU",
    },
    Shape {
        marks: &["window.YTD.mute.part"],
        is: "the list of mutes of an archive of Twitter (X)",
        todo: "sed '1s/^[^=]*=//' FILE | jq -r '.[].muting.accountId' | guanxi import mutes - --ids string --subject YOU",
    },
    Shape {
        marks: &["window.YTD."],
        is: "a part of an archive of Twitter (X)",
        todo: "import following.js, follower.js, block.js or mute.js of it",
    },
    Shape {
        marks: &["relationships_following"],
        is: "the list of whom one follows of an export of Instagram",
        todo: "jq -r '.relationships_following[] | [(.string_list_data[0].value // .title), .string_list_data[0].timestamp] | @tsv' FILE \
               | guanxi import edges - --ids string --subject YOU",
    },
    Shape {
        marks: &["relationships_"],
        is: "a list of an export of Instagram",
        todo: "jq -r '.[][] | [((.title | select(. != \"\")) // .string_list_data[0].value), .string_list_data[0].timestamp] | @tsv' FILE \
               | guanxi import LIST - --ids string --subject YOU",
    },
    Shape {
        marks: &["string_list_data"],
        is: "the list of followers of an export of Instagram",
        todo: "jq -r '.[] | [.string_list_data[0].value, .string_list_data[0].timestamp] | @tsv' FILE \
               | guanxi import edges - --ids string --object YOU",
    },
    Shape {
        marks: &["app.bsky.graph.", "\"records\""],
        is: "records of Bluesky",
        todo: "jq -r '.records[].value | [.subject, .createdAt] | @tsv' FILE | guanxi import LIST - --ids string --subject YOUR-DID",
    },
    Shape {
        marks: &["app.bsky."],
        is: "data of Bluesky that is no list",
        todo: "ask com.atproto.repo.listRecords for app.bsky.graph.follow, and import what it answers",
    },
    Shape {
        marks: &["\"orderedItems\""],
        is: "a collection of ActivityPub",
        todo: "jq -r '.orderedItems[] | (.id? // .)' FILE | guanxi import LIST - --ids string --subject YOU",
    },
];

/// Why a block is no table of separated values, and how to make one of it.
pub(super) fn no_table(block: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(block);
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let is_json = start.starts_with(['{', '[']);
    // A character that the end of the block cuts is not wrong.
    let is_binary = str::from_utf8(block).is_err_and(|error| error.error_len().is_some());
    if is_json || start.starts_with("window.") || is_binary {
        let shape = SHAPES.iter().find(|shape| shape.marks.iter().all(|mark| text.contains(mark)));
        if let Some(Shape { is, todo, .. }) = shape {
            return Some(format!("it looks like {is}, which is no table of lines; make one: {todo}"));
        }
    }
    if is_json {
        return Some(
            "it is JSON, and a line `source target [time]` for each row is read; make such lines, for example: jq -r '.[] | \
             [.follower, .followee] | @tsv' FILE | guanxi import LIST - ..."
                .to_owned(),
        );
    }
    if start.starts_with('<') {
        return Some(
            "it is XML or HTML, and lines `source target [time]` are read; export it as CSV".to_owned(),
        );
    }
    let is_sql = |line: &str| {
        let line = line.trim_start().to_ascii_uppercase();
        ["INSERT INTO ", "CREATE TABLE ", "-- POSTGRESQL", "-- MYSQL"]
            .iter()
            .any(|word| line.starts_with(word))
            || line.starts_with("COPY ") && line.contains(" FROM STDIN")
    };
    if start.lines().take(100).any(is_sql) {
        return Some(
            "it is a dump in SQL; export the table as CSV: in PostgreSQL \\copy (SELECT follower, followee, at FROM ...) TO \
             'list.csv' CSV HEADER, in MySQL mysql --batch -e 'SELECT ...' > list.tsv"
                .to_owned(),
        );
    }
    start.starts_with("%%MatrixMarket").then(|| {
        "it is a matrix of Matrix Market; leave out its head and weights: grep -v '^%' FILE | tail -n +2 | cut -d' ' -f1,2".to_owned()
    })
}

/// Why a block is no list of JSON objects, one a line, and how to make one of it.
pub(super) fn no_objects(lines: &[&[u8]]) -> Option<String> {
    let first = lines.first()?.trim_ascii();
    if first.starts_with(b"[") {
        return Some(
            "it is an array of JSON, and an object a line is read; make such lines: jq -c '.[]' FILE | guanxi import LIST - ..."
                .to_owned(),
        );
    }
    if first == b"{" {
        return Some(
            "its objects are spread over lines, and an object a line is read; make such lines: jq -c . FILE | guanxi import LIST \
             - ..."
                .to_owned(),
        );
    }
    let is_none = lines.iter().all(|line| !line.trim_ascii_start().starts_with(b"{"));
    is_none.then(|| {
        format!(
            "none of its lines is a JSON object, and it begins with `{}`; `guanxi import posts --help` shows such lines",
            super::shown(first)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_other_programs_are_told_with_a_command() {
        let cases = [
            (
                r#"window.YTD.following.part0 = [ { "following" : { "accountId" : "1" } } ]"#,
                "following.accountId",
            ),
            ("window.YTD.follower.part0 = []", "--object YOU"),
            ("window.YTD.tweets.part0 = []", "archive of Twitter"),
            (
                r#"{"relationships_following":[{"title":"a","string_list_data":[{"timestamp":1}]}]}"#,
                "--subject YOU",
            ),
            (r#"[{"title":"","string_list_data":[{"value":"a","timestamp":1}]}]"#, "--object YOU"),
            (
                r#"{"records":[{"value":{"$type":"app.bsky.graph.follow","subject":"did:plc:a"}}]}"#,
                "YOUR-DID",
            ),
            ("[{\"a\":1}]", "is JSON"),
            ("\u{feff}{\"a\":1}", "is JSON"),
            ("<?xml version=\"1.0\"?>", "is XML"),
            ("-- MySQL dump 10.13\n\nDROP TABLE x;\n", "dump in SQL"),
            ("--\n-- PostgreSQL database dump\n", "dump in SQL"),
            ("INSERT INTO follows VALUES (1,2);", "dump in SQL"),
            ("%%MatrixMarket matrix coordinate\n1 2 3\n", "Matrix Market"),
        ];
        for (text, told) in cases {
            let found = no_table(text.as_bytes());
            assert!(found.as_ref().is_some_and(|found| found.contains(told)), "{text}: {found:?}");
        }
        assert!(
            no_table(b"\xa2eroots\x81\xd8app.bsky.feed.post").is_some_and(|told| told.contains("Bluesky"))
        );
        for text in ["1,2\n", "alice@example.org\n", "source,target\n", "# x\n1 2\n", ""] {
            assert_eq!(no_table(text.as_bytes()), None, "{text}");
        }
        for (text, told) in [("[", "jq -c '.[]'"), ("{", "jq -c ."), ("a,b", "begins with `a,b`")] {
            assert!(no_objects(&[text.as_bytes()]).is_some_and(|found| found.contains(told)), "{text}");
        }
        assert_eq!(no_objects(&[b"x", b"{}"]), None);
        assert_eq!(no_objects(&[]), None);
    }
}
