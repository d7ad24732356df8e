//! Texts of users that are markup, scripts, links, turns of direction, templates, or as long as may be: each page shows them as text.

use super::driver::Browser;
use super::pages::quiet;
use super::world::World;
use serde_json::json;

/// Texts, each of which does something where a page takes it for more than text. `qqend` marks where one ends.
const TEXTS: &[&str] = &[
    "<script>window.ran = 1; document.title = 'OWNED'</script>qqend",
    "<svg onload=\"window.ran = 2\"><script>window.ran = 2</script></svg>qqend",
    "\"><img src=x onerror=window.ran=3> '><b onclick=window.ran=3>qqend",
    "javascript:window.ran=4//qqend",
    "</title></style></textarea></script><!-- <![CDATA[ qqend",
    "{{7*7}} ${7*7} <%= 7*7 %> #{7*7} {} {0} %s %n qqend",
    "invoice\u{202e}fdp.exe \u{2067}\u{2066}\u{202d} qqend",
    "&lt;b&gt; &amp;quot; &#60;script&#62; %3Cscript%3E \\u003cscript\\u003e qqend",
];

/// Characters that posts and bios may have, and other fields may not.
const CONTROLS: &str = "nul \u{0} return \revent: end\rdata: <b>x</b>\r\r bell \u{7} qqend";

/// What is wrong on a page, as words.
const WRONG: &str = r"
    const wrong = [];
    if (window.ran !== undefined) wrong.push('a script of a text ran: ' + window.ran);
    if (document.title === 'OWNED' || /[\u202a-\u202e\u2066-\u2069]/.test(document.title)) wrong.push('title ' + document.title);
    const page = document.documentElement;
    if (page.scrollWidth > innerWidth) {
        const out = [...document.querySelectorAll('body *')].filter((found) => found.getBoundingClientRect().right > innerWidth + 1);
        const inner = out.filter((found) => !found.closest('.scroll, pre') && !out.some((other) => other !== found && found.contains(other)));
        wrong.push(page.scrollWidth + ' wide: ' + inner.slice(0, 3).map((found) => found.outerHTML.slice(0, 120)).join(' AND '));
    }
    const made = 'body :is(b, i, u, img, iframe, object, embed, style, base, meta, link, script, math, foreignObject, animate)';
    for (const found of document.querySelectorAll(made)) wrong.push('element ' + found.outerHTML.slice(0, 100));
    for (const found of document.querySelectorAll('*')) {
        for (const { name, value } of found.attributes) {
            if (name.startsWith('on') || name === 'style') wrong.push('attribute ' + name + '=' + value);
            const leads = ['href', 'src', 'action', 'formaction', 'xlink:href', 'data'].includes(name);
            if (leads && new URL(value, location).origin !== location.origin) wrong.push('link to ' + value);
        }
    }
    // A turn of direction ends with the element that has the text: nothing else may be in it.
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
        if (!/[\u202a-\u202e\u2066-\u2069]/.test(node.data)) continue;
        let around = node.parentElement;
        const passes = (found) => {
            const { display, unicodeBidi } = getComputedStyle(found);
            return display === 'inline' && !unicodeBidi.startsWith('isolate');
        };
        while (passes(around)) around = around.parentElement;
        if (around.textContent.trim() !== node.data.trim()) wrong.push('turned ' + around.outerHTML.slice(0, 200));
    }
    return wrong;";

/// Users and posts whose fields have hostile texts, and the pages that show them.
struct Planted {
    world: World,
    paths: Vec<String>,
    posts: Vec<(String, String)>,
}

/// As much of a text as fits a field of so many bytes.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

fn planted() -> Planted {
    let world = World::new();
    let (long, words) = ("W".repeat(5_000), "long word ".repeat(500));
    let texts: Vec<&str> = TEXTS.iter().copied().chain([long.as_str(), words.trim_end()]).collect();
    let (mut posts, mut paths, mut uids) = (Vec::new(), Vec::new(), Vec::new());
    for (n, text) in texts.iter().enumerate() {
        let external = json!({ "externalIds": [format!("{n} {}", cut(text, 120))], "create": true });
        let made = world.call("UserService/ResolveIds", &external);
        let uid = made["byExternalId"][0]["uid"].as_str().expect("an id is a string").to_owned();
        let attributes = json!({ cut(text, 64): cut(text, 512) });
        // No nickname and no message turns the direction of what follows.
        let unturned = if text.contains('\u{202e}') { "no turn" } else { text };
        let update = json!({ "uid": uid, "nickname": cut(unturned, 128), "bio": format!("{CONTROLS}{}", cut(text, 1_900)),
            "avatar": cut(text, 1_024), "attributes": attributes, "updateMask": "nickname,bio,avatar,attributes" });
        world.call("UserService/UpdateUser", &update);
        let whole = if n == 0 { CONTROLS } else { text };
        let post = world.post(&json!({ "author": uid, "text": whole }));
        let answer = json!({ "author": uid, "text": cut(text, 4_000), "replyTo": world.posts[0] });
        paths.push(format!("/post/{}", world.post(&answer)));
        paths.extend([format!("/user/{uid}"), format!("/post/{post}")]);
        posts.push((post, whole.to_owned()));
        let asked = json!({ "subject": uid, "object": world.uid, "message": cut(unturned, 300) });
        world.call("SendFriendRequest", &asked);
        uids.push(uid);
    }
    world.call("BatchFollow", &json!({ "subject": world.uid, "objects": uids }));
    let (evil, long, turned) = (&uids[0], &uids[8], &uids[6]);
    for uid in [evil, turned] {
        world.call("BatchFollow", &json!({ "subject": uid, "objects": uids }));
        for method in ["Block", "Mute"] {
            world.call(method, &json!({ "subject": uid, "object": uids[if uid == evil { 8 } else { 2 }] }));
        }
        let rest = [
            "/around",
            "/list/following",
            "/list/blocks",
            "/list/mutes",
            "/home",
            "/posts",
            "/suggestions",
            "/sessions",
            "/history",
        ];
        paths.extend(rest.map(|rest| format!("/user/{uid}{rest}")));
        paths.push(format!("/user/{uid}/relation?to={long}"));
        paths.push(format!("/user/{uid}/explain?post={}", posts[8].0));
    }
    taken_down(&world, &posts, long);
    paths.extend(queried());
    paths.extend(world.paths());
    Planted { world, paths, posts }
}

/// What operators write is text as well.
fn taken_down(world: &World, posts: &[(String, String)], uid: &str) {
    let long = "W".repeat(1_000);
    for (post, text) in [(&posts[1].0, TEXTS[1]), (&posts[8].0, long.as_str()), (&posts[6].0, TEXTS[6])] {
        let request = json!({ "postId": post, "reason": text });
        let taken = world.server.call_as(Some(&world.token), "AdminService/TakeDownPost", &request);
        // A reason may be refused for what it has.
        assert!(taken.get("code").is_none_or(|code| code == "invalid_argument"), "{taken}");
    }
    let request = json!({ "uid": uid, "reason": long.as_str() });
    world.server.call_as(Some(&world.token), "AdminService/TakeDownUser", &request);
}

/// Pages with hostile texts in their addresses.
fn queried() -> Vec<String> {
    let mut paths = Vec::new();
    let hostile = [
        "%3Cscript%3Ewindow.ran%3D5%3C%2Fscript%3E",
        "%22%3E%3Cimg%20src%3Dx%20onerror%3Dwindow.ran%3D5%3E",
        "invoice%E2%80%AEfdp",
    ];
    for query in hostile.map(str::to_owned).into_iter().chain(["W".repeat(300)]) {
        for path in [
            "/users?q=",
            "/posts?words=",
            "/rows/users?name=",
            "/audit?operator=",
            "/audit?time-from=",
            "/posts?likes-min=",
            "/consistency?check=",
            "/exports/start?of=posts&words=",
            "/user/7/relation?to=",
            "/user/7/explain?post=",
            "/do/revoke-token/",
            "/do/take-down-user/",
            "/user/7/do/unfollow/",
            "/user/7/list/",
            "/post/",
            "/user/",
            "/sign-in?next=",
            "/",
        ] {
            paths.push(format!("{path}{query}"));
        }
    }
    paths
}

/// Opens every page that shows a planted text, and looks at what became of it.
fn every_page_shows_text(is_narrow: bool) {
    let Planted { world, paths, posts } = planted();
    let browser = world.browser();
    world.sign_in(&browser);
    if is_narrow {
        browser.narrow();
    }
    let mut found = Vec::new();
    for path in &paths {
        browser.go(path);
        let wrong = browser.run(WRONG, &json!([]));
        if wrong != json!([]) {
            found.push(format!("{path}: {wrong}"));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    // Pages that refuse a query say so by their status, which the browser notes; so does a check, while the one before it ends.
    let complaints = browser.complaints();
    let is_check = |text: &str| text.contains("/consistency") && text.contains("status of 429");
    let is_refusal = |text: &str| text.contains("status of 40") || is_check(text);
    let graver: Vec<&String> = complaints.iter().filter(|text| !is_refusal(text)).collect();
    assert!(graver.is_empty(), "{graver:#?}");
    as_written(&browser, &posts);
    as_it_comes(&world, &browser, &posts);
}

/// The page of a post shows its text to the letter.
fn as_written(browser: &Browser, posts: &[(String, String)]) {
    for (post, text) in posts {
        browser.go(&format!("/post/{post}"));
        let shown = browser.run("return document.querySelector('main').textContent", &json!([]));
        let shown = shown.as_str().unwrap_or_default();
        // HTML has no U+0000, and one kind of line end.
        let text = text.replace('\u{0}', "").replace('\r', "\n");
        let is_gone =
            shown.contains("not shown") || shown.contains("reinstated") || shown.contains("Reinstate");
        assert!(shown.contains(&text) || is_gone, "{text:?} is not in {shown:?}");
    }
}

/// A region that is drawn anew, by the script of the page, shows text as well.
fn as_it_comes(world: &World, browser: &Browser, posts: &[(String, String)]) {
    browser.go(&format!("/user/{}/home", world.uid));
    drop(browser.complaints());
    let texts: Vec<&str> = [CONTROLS].into_iter().chain(TEXTS.iter().copied()).collect();
    for text in &texts {
        world.post(&json!({ "author": world.others[1], "text": text }));
    }
    browser.await_text("[data-live] .post:first-child", "%3Cscript%3E");
    assert_eq!(browser.run(WRONG, &json!([])), json!([]));
    let shown = browser.texts("[data-live] .post .text");
    assert!(shown.iter().any(|text| text.contains("<b>x</b>") && text.contains("event: end")), "{shown:#?}");
    assert!(shown.len() >= texts.len().min(posts.len()), "{shown:#?}");
    quiet(browser);
}

#[test]
fn no_text_becomes_more_than_text_on_a_desk() {
    every_page_shows_text(false);
}

#[test]
fn no_text_becomes_more_than_text_on_a_phone() {
    every_page_shows_text(true);
}
