//! Lists from elsewhere: each is read rightly, or refused with what to do.

use super::batches::{Batch, Batches};
use super::form::{Column, Form, Header, Ids, Side, Wish, decide_objects, decide_table};
use super::named::{Named, WrittenUser};
use super::row::Row;
use guanxi_model::ImportEdge;
use proptest::prelude::*;

/// Returns the rows of a list as texts, or why the list is refused.
fn read(text: &str, wish: &Wish) -> Result<Vec<String>, String> {
    let form = decide_table(text.as_bytes(), true, wish)?.form;
    Ok(rows::<Named<ImportEdge>>(text, form))
}

fn rows<R: Row>(text: &str, form: Form) -> Vec<String> {
    let batches = Batches::<R, _>::new(text.as_bytes(), form).map(|batch| batch.expect("bytes are read"));
    let told = |batch: Batch<R>| {
        let mut rows: Vec<(u64, String)> = std::iter::zip(batch.row_lines, &batch.rows)
            .map(|(line, row)| (line, row.told(">", &|uid| uid.to_string())))
            .collect();
        rows.extend(batch.refused.into_iter().map(|line| (line.line, line.refusal.reason.to_owned())));
        rows.sort();
        rows.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
    };
    batches.flat_map(told).collect()
}

fn uids() -> Wish {
    Wish { kind: "edges", ..Wish::default() }
}

fn strings() -> Wish {
    Wish { ids: Ids::String, ..uids() }
}

const ONE: &str = "1 > 2 from now on";

#[test]
fn usual_headers_are_honoured_for_uids_and_for_ids_of_ones_own() {
    let cases = [
        ("source,target", "1,2"),
        ("follower_id,followee_id", "1,2"),
        ("followee,follower", "2,1"),
        ("id,follower_id,followed_id", "9,1,2"),
        ("src,dst", "1,2"),
        ("from;to", "1;2"),
        ("user_id,friend_id", "1,2"),
        ("user_id,follower_id", "2,1"),
        ("follower\tfollowing", "1\t2"),
        ("follower following", "1 2"),
        ("account_id,target_account_id", "1,2"),
        ("\"Follower ID\",\"Followee ID\"", "\"1\",\"2\""),
        ("关注者,被关注者", "1,2"),
        ("time,source,target", ",1,2"),
    ];
    for (header, row) in cases {
        for end in ["\n", "\r\n", "\r"] {
            for wish in [uids(), strings()] {
                let text = format!("\u{feff}{header}{end}{row}{end}");
                assert_eq!(read(&text, &wish).as_deref(), Ok(&[ONE.to_owned()][..]), "{text:?}");
            }
        }
    }
}

#[test]
fn what_is_not_clear_is_asked() {
    let cases = [
        ("follower,followee,weight\n1,2,3\n", "--columns source,target,time"),
        ("follower,kogo\n1,2\n", "--header yes|no"),
        ("id,source,target,type\n1,2,3,x\n", "--columns source,target,time,-"),
        ("user,user\n1,2\n", "not clear which column"),
        ("following_user_id,followed_user_id\n1,2\n", "not clear which column"),
        ("follower,created_at\n1,2\n", "it names one user"),
        ("user1,user2\nann,bob\n", "not clear which column"),
        ("u,v\n1,2\n", "--header no"),
        ("left,right\n1,2\n", "not clear which column"),
        ("uid,follow_uid\n1,2\n", "not clear which column"),
        ("fan_id,x\n1,2\n", "not clear which column"),
        ("source,target\n", "there is no row"),
        ("source,target\r", "there is no row"),
        ("1,2,0.5\n2,3,0.7\n", "--columns source,target,-"),
        ("1,2,3\n2,3,4\n", "no time since the year 2000"),
        ("1,2,1700000000000\n", "milliseconds"),
        ("1 2 3 4\n2 5 6 7\n", "--columns source,target,time,-"),
        ("1 2\n2 5 6 7\n3 1 4 7 9\n4 1 2 3 4 5\n", "fields"),
        ("1\n2\n", "--subject UID"),
        ("[{\"a\":1}]", "is JSON"),
        ("window.YTD.following.part0 = [\n  {\"following\" : {\"accountId\" : \"1\"}}\n]", "--subject YOU"),
        ("{\"relationships_following\":[]}", "Instagram"),
        ("INSERT INTO follows VALUES (1,2);\n", "SQL"),
        ("# guanxi blocks 1: subject object at\n1\t2\t3\n", "guanxi import blocks"),
        ("# guanxi edges 9: x\n", "later guanxi"),
    ];
    for (text, told) in cases {
        for wish in [uids(), strings()] {
            let found = read(text, &wish);
            assert!(found.as_ref().is_err_and(|why| why.contains(told)), "{text:?}: {found:?}");
        }
    }
    let of_uids = [
        ("kto,kogo\n1,2\n", "--header yes|no"),
        ("alice,bob\nbob,carol\n", "--header yes|no"),
        ("1,x\n2,y\n", "--ids string"),
        ("# guanxi edges 1: subject object at (own ids)\n", "--ids string"),
    ];
    for (text, told) in of_uids {
        assert!(read(text, &uids()).is_err_and(|why| why.contains(told)), "{text:?}");
    }
    let id = |n: u32| format!("0192d3a4-7b1c-7e55-8f00-{n:012x}");
    let of_strings = [
        (format!("kto,kogo\n{},{}\n", id(1), id(2)), "--header yes|no"),
        ("kto,kogo\n1,2\n".to_owned(), "--header yes|no"),
        ("kto,kogo,od\na,b,1700000000\n".to_owned(), "--header yes|no"),
        ("friends,ann@example.org\nfriends,bob@example.org\n".to_owned(), "each target is of addresses"),
        ("ann@example.org\n".to_owned(), "--subject UID"),
        ("Account address,Hide notifications\nann@example.org,true\n".to_owned(), "it names one user"),
        ("# guanxi edges 1: subject object at\n1\t2\t3\n".to_owned(), "leave --ids out"),
    ];
    for (text, told) in of_strings {
        let found = read(&text, &strings());
        assert!(found.as_ref().is_err_and(|why| why.contains(told)), "{text:?}: {found:?}");
    }
}

#[test]
fn the_command_line_answers_what_is_asked() {
    let columns = |text: &str| Some(Column::all(text).expect("names of columns"));
    let wish = |header, columns| Wish { header, columns, ..uids() };
    let one = Ok(vec![ONE.to_owned()]);
    assert_eq!(read("1,2,0.5\n", &wish(Header::Auto, columns("source,target,-"))), one);
    assert_eq!(read("kto,kogo\n1,2\n", &wish(Header::Yes, columns("source,target"))), one);
    assert_eq!(
        read("kto,kogo\n1,2\n", &wish(Header::Auto, columns("source,target"))),
        one,
        "a word is no uid"
    );
    assert_eq!(read("2,5,1\n", &wish(Header::No, columns("target,-,source"))), one);
    assert!(read("kto,kogo\n1,2\n", &wish(Header::Yes, None)).is_err_and(|why| why.contains("--columns")));
    assert!(
        read("1,2\n", &wish(Header::Auto, columns("source,-"))).is_err_and(|why| why.contains("--object"))
    );
    let words = Wish { header: Header::No, ..strings() };
    assert_eq!(read("from,to\n", &words), Ok(vec!["from > to from now on".to_owned()]));
    let clear = Wish { columns: columns("source,target"), ..strings() };
    assert!(read("a,b\nc,d\n", &clear).is_err_and(|why| why.contains("--header yes|no")));
    let recurring = read("user1,user2\nuser2,user1\n", &strings()).map(|rows| rows.len());
    assert_eq!(recurring, Ok(2), "names that are ids elsewhere in the list are ids");
}

#[test]
fn lists_of_one_side_take_the_other_from_the_command_line() {
    let of = |subject: Option<&str>, object: Option<&str>| Wish {
        subject: subject.map(str::to_owned),
        object: object.map(str::to_owned),
        ..strings()
    };
    let (me, them) = (of(Some("me@here.org"), None), of(None, Some("me@here.org")));
    let follows = |name: &str| Ok(vec![format!("me@here.org > {name} from now on")]);
    // Mastodon's own exports: following_accounts.csv, muted_accounts.csv, blocked_accounts.csv.
    let following =
        "Account address,Show boosts,Notify on new posts,Languages\nann@example.org,true,false,\"en, fr\"\n";
    assert_eq!(read(following, &me), follows("ann@example.org"));
    assert_eq!(
        read("Account address,Hide notifications\nann@example.org,true\n", &me),
        follows("ann@example.org")
    );
    assert_eq!(read("ann@example.org\n", &me), follows("ann@example.org"));
    assert_eq!(read("ann\n", &them), Ok(vec!["ann > me@here.org from now on".to_owned()]));
    assert_eq!(
        read("did:plc:a\t2024-05-01T12:30:00Z\n", &me),
        Ok(vec!["me@here.org > did:plc:a since 2024-05-01T12:30:00Z".to_owned()])
    );
    assert_eq!(read("1\n", &Wish { ids: Ids::Uid, ..of(Some("2"), None) }).map(|rows| rows.len()), Ok(1));
    assert!(read("follower,time\nann,\n", &me).is_err_and(|why| why.contains("--columns")));
    assert!(read("source,target\nann,bob\n", &me).is_err());
}

#[test]
fn an_export_is_read_without_a_guess() {
    // The first row looks like a header, the ids like numbers, and the times are of 1970.
    let text = "# guanxi edges 1: subject object at (own ids)\nfollower\tfollowee\t7\n\" a\"\t\"\\N\"\t0.5\n";
    let rows = read(text, &strings()).expect("an export is clear");
    assert_eq!(
        rows,
        ["follower > followee since 1970-01-01T00:00:07Z", " a > \\N since 1970-01-01T00:00:00.5Z"]
    );
    assert_eq!(read("# guanxi edges 1: subject object at\n", &uids()), Ok(vec![]));
    assert_eq!(read("", &uids()), Ok(vec![]));
    let subject = Wish { subject: Some("x".into()), ..strings() };
    assert!(read(text, &subject).is_err_and(|why| why.contains("leave --columns")));
}

#[test]
fn lists_of_objects_are_told_from_other_files() {
    let of = |text: &str| {
        decide_objects(text.as_bytes(), true, "posts", Ids::Uid).map(|decided| decided.form.line_end)
    };
    assert_eq!(of("{\"a\":1}\n"), Ok(b'\n'));
    assert_eq!(of("{}\r{}\r"), Ok(b'\r'));
    assert_eq!(of("# guanxi posts 1: a JSON object a line\n"), Ok(b'\n'));
    assert_eq!(of(""), Ok(b'\n'));
    for (text, told) in [
        ("[{}]", "jq -c '.[]'"),
        ("{\n\"a\": 1\n}\n", "jq -c ."),
        ("author,key\n1,2\n", "none of its lines"),
        ("# guanxi likes 1: x\n{}\n", "guanxi import likes"),
        ("\u{0}", "binary"),
    ] {
        let found = of(text);
        assert!(found.as_ref().is_err_and(|why| why.contains(told)), "{text:?}: {found:?}");
    }
}

/// An id of any text that has no control characters, as it is written where it needs quotes, or in quotes all the same.
fn id() -> impl Strategy<Value = (String, String)> {
    let text = prop_oneof!["[a-z0-9]{1,8}", "[ -~é好]{1,8}", "( |\"|,|;|#|a|\\\\N){1,4}"];
    (text, any::<bool>()).prop_map(|(text, always)| {
        let bare = WrittenUser::Own(&text).to_string();
        let quoted = format!("\"{}\"", text.replace('"', "\"\""));
        let written = if always { quoted } else { bare };
        (text, written)
    })
}

proptest! {
    #[test]
    fn every_id_is_read_back_in_each_dialect_with_each_end_of_lines(
        ids in proptest::collection::vec((id(), id(), proptest::option::of(1_000_000_000_u64..4_000_000_000)), 1..8),
        separator in prop_oneof![Just("\t"), Just(","), Just(";"), Just(" "), Just(", "), Just(" ; ")],
        end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        has_end in any::<bool>(),
    ) {
        prop_assume!(ids.iter().all(|((subject, _), (object, _), _)| subject != object));
        let line = |((_, subject), (_, object), at): &((String, String), (String, String), Option<u64>)| {
            let at = at.map_or(String::new(), |at| format!("{separator}{at}"));
            format!("{subject}{separator}{object}{at}")
        };
        let lines: Vec<String> = ids.iter().map(line).collect();
        let text = format!("follower{separator}followee{separator}time{end}{}{}", lines.join(end), if has_end { end } else { "" });
        let form = decide_table(text.as_bytes(), true, &strings()).map(|decided| decided.form);
        let form = form.map_err(|why| TestCaseError::fail(format!("{text:?}: {why}")))?;
        prop_assert_eq!(&form.table.subject, &Side::Column(0));
        let found = rows::<Named<ImportEdge>>(&text, form);
        let told = |((subject, _), (object, _), at): &((String, String), (String, String), Option<u64>)| {
            let since = at.map_or(" from now on".to_owned(), |at| format!(" since {}", super::time::utc(at * 1_000)));
            format!("{subject} > {object}{since}")
        };
        let expected: Vec<String> = ids.iter().map(told).collect();
        prop_assert_eq!(found, expected, "{:?}", text);
    }
}
