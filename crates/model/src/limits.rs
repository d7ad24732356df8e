//! Every limit of the product, with its reason.

/// Follows per user unless configured or overridden (seed 000 caps follows; 5,000 as in the field).
pub const FOLLOW_LIMIT_DEFAULT: u32 = 5_000;

/// The highest follow limit that can be set: a following set is one packed image whose order is kept in 16-bit
/// indexes, and is read as a whole.
pub const FOLLOW_LIMIT_MAX: u32 = 60_000;

/// Blocks per user. A block list is loaded whole with its owner's following set.
pub const BLOCK_LIMIT: u32 = 10_000;

/// Mutes per user, for the same reason as [`BLOCK_LIMIT`].
pub const MUTE_LIMIT: u32 = 10_000;

/// Requests of one user that wait at a time. Each holds a place among the users that it may follow, and is kept in memory
/// with its relations. A person with a thousand requests and no answer asks too many.
pub const SENT_REQUESTS_MAX: u32 = 1_000;

/// How long a request waits unless its sender says otherwise, in milliseconds: 30 days, as in the field.
pub const REQUEST_TTL_MS: u64 = 30 * 24 * 3_600 * 1_000;

/// The longest that a request may wait, in milliseconds: a year, so that no place is held for ever.
pub const REQUEST_TTL_MAX_MS: u64 = 365 * 24 * 3_600 * 1_000;

/// How long a sender that was rejected may not ask again, in milliseconds: 7 days, as in the field.
pub const REQUEST_COOLDOWN_MS: u64 = 7 * 24 * 3_600 * 1_000;

/// How long after it was taken back a request that is sent again keeps its first place, in milliseconds: a day. With a new
/// place at each time a sender could call the receiver's attention as often as it likes.
pub const REQUEST_RESEND_MS: u64 = 24 * 3_600 * 1_000;

/// Bytes of the message of a request: a hundred Chinese characters.
pub const REQUEST_MESSAGE_LEN_MAX: u32 = 300;

/// The longest time after which a mute ends by itself, in milliseconds: ten years; a longer one has no end.
pub const MUTE_DURATION_MAX_MS: u64 = 10 * 365 * 24 * 3_600 * 1_000;

/// Items of a page when none is asked for.
pub const PAGE_SIZE_DEFAULT: u32 = 50;

/// The largest page.
pub const PAGE_SIZE_MAX: u32 = 1_000;

/// Items of one batch request.
pub const BATCH_MAX: u32 = 1_000;

/// Edges of one import batch: large enough to amortise the commit, small enough for one request.
pub const IMPORT_BATCH_MAX: u32 = 10_000;

/// Removed follows that one write may forget, as [`IMPORT_BATCH_MAX`].
pub const TOMBSTONES_MAX: u32 = IMPORT_BATCH_MAX;

/// Bytes of a `request_id`; a UUID has 36.
pub const REQUEST_ID_LEN_MAX: u32 = 64;

/// Bytes of an import job's name.
pub const JOB_NAME_LEN_MAX: u32 = 128;

/// Bytes of a credential's name.
pub const CREDENTIAL_NAME_LEN_MAX: u32 = 64;

/// Stored credentials: they are kept in memory to answer every call.
pub const CREDENTIALS_MAX: u32 = 100_000;

/// Scopes of a credential: each has a bit or a name that is read with every call, and the field has a few dozen.
pub const SCOPES_MAX: usize = 64;

/// Bytes of a scope's name.
pub const SCOPE_NAME_LEN_MAX: u32 = 64;

/// Sessions of one user: as many devices as a person can look through, and what one commit revokes at once. One more
/// login takes the place of the login that was used least recently, since a user who logs in cannot remove old
/// devices first. One more token of an operator is refused.
pub const SESSIONS_PER_USER_MAX: u32 = 100;

/// Bytes of what a user calls a device: thirty characters of four bytes.
pub const DEVICE_LEN_MAX: u32 = 120;

/// How long a refresh may be repeated, and for how long replaced secrets still let their holder in, in milliseconds.
/// A lost answer and a second tab ask again within seconds, and a thief of a secret gains no more time by it.
pub const REFRESH_REPEAT_MS: u64 = 30 * 1_000;

/// Sessions of one page of a user's list.
pub const SESSION_PAGE_MAX: u32 = SESSIONS_PER_USER_MAX;

/// Expired sessions that one sweep removes at most, so that writes behind it wait for milliseconds only.
pub const SESSION_SWEEP_MAX: u32 = 1_000;

/// How often the use of a session is noted, in milliseconds: an hour tells a person which devices are idle, and
/// is no load beside what the session does.
pub const SESSION_USE_EVERY_MS: u64 = 3_600 * 1_000;

/// How long an answer is remembered under its `request_id`, in milliseconds: 24 h.
pub const REQUEST_ID_TTL_MS: u64 = 24 * 3_600 * 1_000;

/// Events of one read of the log.
pub const EVENT_BATCH_MAX: u32 = 1_000;

/// The latest time that a line of a list may have, in Unix milliseconds (2100-01-01): a later one is in another unit.
pub const IMPORT_TIME_MAX_MS: u64 = 4_102_444_800_000;

/// Characters of a post's text.
pub const POST_TEXT_CHARS_MAX: u32 = 5_000;

/// Attachments of a post.
pub const ATTACHMENTS_MAX: u32 = 16;

/// Bytes of an attachment's reference: the length that browsers take for a URL.
pub const ATTACHMENT_LEN_MAX: u32 = 2_048;

/// Revisions of a post: each is kept, and a post is read with one. An edit that does nothing but narrow who may see the
/// post is no subject to it, since an author must always be able to hide a post. Widening is one, so that at most two
/// more are ever kept.
pub const REVISIONS_MAX: u32 = 1_000;

/// Posts of one page or batch that carries bodies; [`ANSWER_BYTES_MAX`] may end one earlier.
pub const POSTS_MAX: u32 = 200;

/// Bytes of the posts in one answer, as JSON counts them: clients of gRPC refuse messages above 4 MiB unless they are
/// told otherwise. A page that would be larger is shorter, and goes on at a token. One post always fits.
pub const ANSWER_BYTES_MAX: usize = 3 << 20;

/// Bytes of the bodies that one call for posts answers: more than [`ANSWER_BYTES_MAX`], so that what fills an answer is
/// mostly read at once, and few enough for many calls at a time.
pub const READ_BYTES_MAX: usize = 4 << 20;

/// Users of a list that one read looks at, where some of them are hidden from the reader, before it answers a short page
/// with a token.
pub const LIST_SCAN_MAX: u32 = 10_000;

/// Users that one call suggests: what a person looks through.
pub const SUGGESTIONS_MAX: u32 = 100;

/// Users that are suggested when no number is asked for: a screen.
pub const SUGGESTIONS_DEFAULT: u32 = 20;

/// Users of one reason whose points are compared: the first of them by what is counted, many times a page.
pub const SUGGESTION_CANDIDATES: usize = 500;

/// Follows that one count of friends of friends looks at: a thousand users who follow a thousand each, in some tens of
/// milliseconds, in which others have their turn.
pub const SUGGESTION_FOLLOWS_MAX: usize = 1_000_000;

/// Users whom the reason of a suggestion names: what fits a line.
pub const SUGGESTION_NAMES_MAX: usize = 3;

/// How many of a user's follows are its latest, which tell what becomes popular: enough for weeks of most users, and few
/// beside those of somebody who follows thousands.
pub const LATEST_FOLLOWS: usize = 20;

/// How many users whom the viewer follows must have begun to follow somebody lately for that to be popular among them.
pub const POPULAR_MIN: u32 = 2;

/// The newest followers of a viewer that are looked at for some whom it does not follow: a celebrity's list has no end.
pub const SUGGESTION_FOLLOWERS: u32 = PAGE_SIZE_MAX;

/// Users with whom one user has a score: as many as a page shows. One more takes the place of the lowest, which is what is
/// long ago or hardly anything.
pub const AFFINITIES_MAX: u32 = PAGE_SIZE_MAX;

/// Interactions of one call, as a batch.
pub const INTERACTIONS_MAX: u32 = BATCH_MAX;

/// Times that one entry of a call says an interaction took place: more are a mistake of units.
pub const INTERACTION_COUNT_MAX: u32 = 10_000;

/// Users whom one user has dismissed from its suggestions: they are read with each, and one commit erases them. One more
/// takes the place of the oldest.
pub const DISMISSED_MAX: u32 = 1_000;

/// Items of a home page when none are asked for: a screen.
pub const HOME_PAGE_DEFAULT: u32 = 20;

/// Items that one home read looks at before it answers a short page with a token.
pub const HOME_SCAN_MAX: u32 = 10_000;

/// Posts of one import batch: each may be 5,000 characters long.
pub const IMPORT_POSTS_MAX: u32 = 1_000;

/// The milliseconds from its time on in which an imported post may take its id. Archives that know days alone have more
/// posts of one time than a millisecond has ids. A second has 16 million ids, and tells no reader another time.
pub const IMPORT_SPILL_MS: u64 = 1_000;

/// Likes of one import batch, as [`IMPORT_BATCH_MAX`].
pub const IMPORT_LIKES_MAX: u32 = IMPORT_BATCH_MAX;

/// How far ahead of the clock the time of an imported fact may be, in milliseconds: as far as clocks of two machines differ.
/// Within it the fact counts as of now.
pub const FACT_AHEAD_MAX_MS: u64 = 5 * 60 * 1_000;

/// How far ahead of the clock the id of an imported post may lie, in milliseconds. An hour covers clocks that were set back
/// and bursts of posts. An id that is further ahead is a mistake that would make all later ids run ahead.
pub const IMPORT_ID_AHEAD_MS: u64 = 3_600 * 1_000;

/// The largest number of a group that an imported post may name: the owner's next group has a higher one, so that half of the
/// numbers is always left to it.
pub const IMPORT_GROUP_MAX: u32 = 1 << 31;

/// Bytes of an imported post's source key.
pub const SOURCE_KEY_LEN_MAX: u32 = 128;

/// Characters of one consistency token: one that names all 256 logs at the end of their numbers fits.
pub const POSITION_TOKEN_LEN_MAX: u32 = 8_192;

/// Consistency tokens joined in one request: a client that keeps the last of each of its sessions has a few.
pub const POSITION_TOKENS_MAX: u32 = 16;

/// What an unread count stops at unless asked for more ("99+").
pub const UNREAD_CAP_DEFAULT: u32 = 99;

/// The largest cap of an unread count.
pub const UNREAD_CAP_MAX: u32 = 999;

/// New items that one poll answers; more are a `reset` to the first page.
pub const POLL_ITEMS_MAX: u32 = 200;

/// The newest items of a home whose originals polls and streams watch: what a client may have on a screen.
pub const WATCHED_ITEMS: usize = POLL_ITEMS_MAX as usize;

/// Headers that are looked at to find those items, where many between them are hidden.
pub const WATCH_SCAN_MAX: usize = 2_000;

/// Followers above which an author is a celebrity (seed 003).
pub const CELEBRITY_FOLLOWERS_DEFAULT: u64 = 100_000;

/// Items of an inbox (seed 003 and the field's custom).
pub const INBOX_CAP_DEFAULT: u32 = 800;

/// The largest inbox: 100 KB of ids.
pub const INBOX_CAP_MAX: u32 = 10_000;

/// The shortest activity bucket, in milliseconds: a second.
pub const ACTIVE_BUCKET_MS_MIN: u64 = 1_000;

/// How long an inbox is kept without a visit, in milliseconds: 30 days.
pub const COLD_AFTER_MS_DEFAULT: u64 = 30 * 24 * 3_600 * 1_000;

/// Bytes of a login name, as given and as normalised: a mail address fits, as long as people type them.
pub const LOGIN_NAME_LEN_MAX: u32 = 128;

/// Bytes of an external id, which is a key on disk: three times a UUID.
pub const EXTERNAL_ID_LEN_MAX: u32 = 128;

/// Ids that one question of the dictionary may name: as many as a batch.
pub const RESOLVE_IDS_MAX: u32 = BATCH_MAX;

/// Bytes of a stored hash of a password: argon2 with the longest salt and output that anybody uses.
pub const PASSWORD_HASH_LEN_MAX: u32 = 256;

/// Bytes of a phone number: `+` and the 15 digits of E.164.
pub const PHONE_LEN_MAX: u32 = 16;

/// Bytes of a mail address (RFC 3696, erratum 1690).
pub const EMAIL_LEN_MAX: u32 = 254;

/// Bytes of the part before the `@` of a mail address (RFC 5321, section 4.5.3.1.1).
pub const EMAIL_LOCAL_LEN_MAX: u32 = 64;

/// How long a reserved contact may be bound by its user, in milliseconds: 5 minutes, thousands of times what the next step
/// takes.
pub const CONTACT_BIND_MS: u64 = 5 * 60 * 1_000;

/// How long a contact that was reserved and not bound is kept from others, in milliseconds: 10 minutes. The clocks of two
/// shards may differ by what this is longer than [`CONTACT_BIND_MS`].
pub const CONTACT_RESERVATION_MS: u64 = 10 * 60 * 1_000;

/// Users of one import batch: a write of as many operations.
pub const IMPORT_USERS_MAX: u32 = BATCH_MAX;

/// Requests of one import batch: a write of as many operations.
pub const IMPORT_REQUESTS_MAX: u32 = BATCH_MAX;

/// Users of one question about users.
pub const USERS_MAX: u32 = 1_000;

/// Bytes of a nickname: 42 Chinese characters.
pub const NICKNAME_LEN_MAX: u32 = 128;

/// Bytes of what a user says of itself in words.
pub const BIO_LEN_MAX: u32 = 2_048;

/// Bytes of the reference to a user's picture: a URL.
pub const AVATAR_LEN_MAX: u32 = 1_024;

/// The earliest year of birth: no living person was born before.
pub const BIRTH_YEAR_MIN: u16 = 1_900;

/// The latest year of birth: ids end in it.
pub const BIRTH_YEAR_MAX: u16 = 2_069;

/// Attributes of a user that the application keeps.
pub const USER_ATTRIBUTES_MAX: u32 = 32;

/// Bytes of the name of such an attribute.
pub const USER_ATTRIBUTE_KEY_LEN_MAX: u32 = 64;

/// Bytes of the value of such an attribute.
pub const USER_ATTRIBUTE_LEN_MAX: u32 = 512;

/// Groups of one user: more than a person keeps apart, and few enough to be answered whole.
pub const GROUPS_MAX: u32 = 100;

/// Members of one group: a group's timeline merges their outboxes at each read, and a group is written whole by one commit.
pub const GROUP_MEMBERS_MAX: u32 = 500;

/// Members that the commands of one write name in all, as [`BATCH_MAX`].
pub const GROUP_MEMBERS_PER_WRITE: u32 = BATCH_MAX;

/// Bytes of a group's name: 42 Chinese characters.
pub const GROUP_NAME_LEN_MAX: u32 = 128;

const _: () = assert!(GROUP_MEMBERS_MAX <= GROUP_MEMBERS_PER_WRITE);
const _: () = assert!(GROUP_MEMBERS_MAX <= PAGE_SIZE_MAX);
const _: () = assert!(PAGE_SIZE_DEFAULT <= PAGE_SIZE_MAX);
const _: () = assert!(FOLLOW_LIMIT_DEFAULT <= FOLLOW_LIMIT_MAX);
const _: () = assert!(FOLLOW_LIMIT_MAX < u16::MAX as u32);
const _: () = assert!(BLOCK_LIMIT < u16::MAX as u32);
const _: () = assert!(MUTE_LIMIT < u16::MAX as u32);
const _: () = assert!(SENT_REQUESTS_MAX < u16::MAX as u32);
const _: () = assert!(REQUEST_TTL_MS <= REQUEST_TTL_MAX_MS);
const _: () = assert!(BATCH_MAX <= IMPORT_BATCH_MAX);
const _: () = assert!(HOME_PAGE_DEFAULT <= POSTS_MAX);
/// The most bytes that a character may take in JSON, per byte of its own: an escaped control character.
const JSON_BYTES_PER_BYTE: usize = 6;
/// A post of escaped characters with two originals of the same kind: more than any item of an answer.
const _: () = assert!(
    3 * JSON_BYTES_PER_BYTE
        * (POST_TEXT_CHARS_MAX as usize + (ATTACHMENTS_MAX * (ATTACHMENT_LEN_MAX + 1_024)) as usize)
        < ANSWER_BYTES_MAX
);
const _: () = assert!(ANSWER_BYTES_MAX <= READ_BYTES_MAX);
const _: () = assert!(UNREAD_CAP_DEFAULT <= UNREAD_CAP_MAX);
const _: () = assert!(INBOX_CAP_DEFAULT <= INBOX_CAP_MAX);

/// Bytes of the reason for which a post or a user is taken down: three hundred Chinese characters.
pub const TAKEDOWN_REASON_LEN_MAX: u32 = 1_000;

/// Bytes of the name of an action in the audit log, which is that of an RPC, and of the name of a reason.
pub const AUDIT_ACTION_LEN_MAX: u32 = 64;

/// Ids in an entry of the audit log: an action names one or two.
pub const AUDIT_TARGETS_MAX: usize = 4;

/// Entries of the audit log that one command removes: as many as share a commit without holding up others.
pub const AUDIT_FORGET_MAX: usize = 64;

/// Users of the filter of a watch.
pub const WATCH_UIDS_MAX: u32 = 1_000;

/// How long the texts and names of a deleted user are kept before they are erased, unless a setting says otherwise: 30
/// days. In that time a service can be asked about what was deleted by mistake or by somebody else, and no other user takes
/// the name.
pub const DELETED_USERS_RETENTION_MS: u64 = 30 * 24 * 3_600 * 1_000;
