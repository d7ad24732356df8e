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

/// Items of a page when none is asked for.
pub const PAGE_SIZE_DEFAULT: u32 = 50;

/// The largest page.
pub const PAGE_SIZE_MAX: u32 = 1_000;

/// Items of one batch request.
pub const BATCH_MAX: u32 = 1_000;

/// Edges of one import batch: large enough to amortise the commit, small enough for one request.
pub const IMPORT_BATCH_MAX: u32 = 10_000;

/// Bytes of a `request_id`; a UUID has 36.
pub const REQUEST_ID_LEN_MAX: u32 = 64;

/// Bytes of an import job's name.
pub const JOB_NAME_LEN_MAX: u32 = 128;

/// Bytes of a credential's name.
pub const CREDENTIAL_NAME_LEN_MAX: u32 = 64;

/// Stored credentials: they are kept in memory to answer every call.
pub const CREDENTIALS_MAX: u32 = 100_000;

/// How long an answer is remembered under its `request_id`, in milliseconds: 24 h.
pub const REQUEST_ID_TTL_MS: u64 = 24 * 3_600 * 1_000;

/// Events of one read of the log.
pub const EVENT_BATCH_MAX: u32 = 1_000;

/// The latest time that an import accepts, in Unix milliseconds (2100-01-01): later ones are taken for a unit
/// mistake.
pub const IMPORT_TIME_MAX_MS: u64 = 4_102_444_800_000;

const _: () = assert!(PAGE_SIZE_DEFAULT <= PAGE_SIZE_MAX);
const _: () = assert!(FOLLOW_LIMIT_DEFAULT <= FOLLOW_LIMIT_MAX);
const _: () = assert!(FOLLOW_LIMIT_MAX < u16::MAX as u32);
const _: () = assert!(BLOCK_LIMIT < u16::MAX as u32);
const _: () = assert!(MUTE_LIMIT < u16::MAX as u32);
const _: () = assert!(BATCH_MAX <= IMPORT_BATCH_MAX);
