//! What a post says.

/// The content of a post.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Body {
    /// At most [`POST_TEXT_CHARS_MAX`](crate::limits::POST_TEXT_CHARS_MAX) characters.
    pub text: String,
    /// At most [`ATTACHMENTS_MAX`](crate::limits::ATTACHMENTS_MAX).
    pub attachments: Vec<Attachment>,
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

/// What an attachment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttachmentKind {
    /// A picture.
    Image,
    /// A moving picture.
    Video,
    /// Sound.
    Audio,
    /// A page elsewhere.
    Link,
    /// Anything else.
    File,
}

impl AttachmentKind {
    /// Every kind, for tests and tables.
    pub const ALL: [Self; 5] = [Self::Image, Self::Video, Self::Audio, Self::Link, Self::File];
}
