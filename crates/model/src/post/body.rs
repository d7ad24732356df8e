//! What a post says.

/// The content of a post.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Body {
    /// At most [`POST_TEXT_CHARS_MAX`](crate::limits::POST_TEXT_CHARS_MAX) characters.
    pub text: String,
    /// At most [`ATTACHMENTS_MAX`](crate::limits::ATTACHMENTS_MAX).
    pub attachments: Vec<Attachment>,
}

impl Body {
    /// Returns whether a reader would see nothing: no attachment, and no character but invisible ones.
    pub fn says_nothing(&self) -> bool {
        self.attachments.is_empty() && self.text.chars().all(is_invisible)
    }

    /// The bytes of its texts.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.attachments.iter().map(|attachment| attachment.reference.len()).sum::<usize>()
    }

    /// Returns whether there is nothing at all, as in a plain repost.
    pub const fn is_empty(&self) -> bool {
        self.text.is_empty() && self.attachments.is_empty()
    }
}

/// Characters that leave no mark by themselves, beside Unicode's white space and controls: what Unicode 16 calls
/// default ignorable, the marks of interlinear annotation, and the Braille pattern without dots.
const INVISIBLE: [(char, char); 19] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{fff9}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Returns whether a character leaves no mark by itself, so that a text of such ones alone says nothing.
fn is_invisible(c: char) -> bool {
    c.is_whitespace() || c.is_control() || INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// Something that a post refers to and that is stored elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// Where it is: a URL or a key of the application, of at most
    /// [`ATTACHMENT_LEN_MAX`](crate::limits::ATTACHMENT_LEN_MAX) bytes, kept as given.
    pub reference: String,
}

crate::kinds! {
    /// What an attachment is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum AttachmentKind: code {
        /// A picture.
        Image = 0,
        /// A moving picture.
        Video = 1,
        /// Sound.
        Audio = 2,
        /// A page elsewhere.
        Link = 3,
        /// Anything else.
        File = 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Body {
        Body { text: text.to_owned(), attachments: Vec::new() }
    }

    #[test]
    fn what_leaves_no_mark_says_nothing() {
        let spaces = " \t\r\n\u{b}\u{85}\u{a0}\u{1680}\u{2003}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";
        let ignorable =
            "\u{ad}\u{34f}\u{200b}\u{200d}\u{200e}\u{202e}\u{2060}\u{2063}\u{3164}\u{fe0f}\u{feff}\u{e0061}";
        for blank in ["", spaces, ignorable, "\u{0}\u{7f}\u{9b}", "\u{2800}", "\u{fff9}\u{fffb}"] {
            assert!(text(blank).says_nothing(), "{blank:?}");
            assert!(!text(&format!("{blank}.{blank}")).says_nothing());
        }
        for seen in
            ["0", "\u{301}", "\u{5173}", "\u{1f468}\u{200d}\u{1f469}", "\u{fffc}", "\u{2801}", "\u{3165}"]
        {
            assert!(!text(seen).says_nothing(), "{seen:?}");
        }
        let image = Attachment { kind: AttachmentKind::Image, reference: "x".to_owned() };
        let with = Body { attachments: vec![image], ..text(" ") };
        assert!(!with.says_nothing() && !with.is_empty());
        assert!(text("").is_empty() && !text(" ").is_empty());
    }

    #[test]
    fn the_list_is_in_order() {
        assert!(INVISIBLE.windows(2).all(|pair| pair[0].0 <= pair[0].1 && pair[0].1 < pair[1].0));
    }
}
