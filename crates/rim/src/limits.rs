//! Limits of the transport, with their reasons. Those of the product are in `guanxi_model::limits`.

use std::time::Duration;

/// Bytes of one request. A batch of 1,000 pairs has 20 kB, an import batch of 10,000 edges 300 kB.
pub const REQUEST_BYTES_MAX: usize = 1 << 20;

/// Answers of fewer bytes are not compressed: a page of 100 ids would cost twice the time to save one packet.
pub const COMPRESS_BYTES_MIN: usize = 8 << 10;

/// The deadline of a call that names none.
pub const DEADLINE_DEFAULT: Duration = Duration::from_secs(2);

/// The longest deadline a caller can ask for. Streams have none.
pub const DEADLINE_MAX: Duration = Duration::from_secs(30);

/// Calls answered at once; more are refused with OVERLOADED, since a queue would only make all of them late.
pub const CALLS_MAX: usize = 4_096;

/// Calls of one end user answered at once: an app asks for a screen's parts side by side, on a few devices.
pub const CALLS_PER_USER_MAX: usize = 64;

/// Calls of one service's token answered at once: a back end may be the only caller, yet one that has gone wild leaves
/// room for the others.
pub const CALLS_PER_SERVICE_MAX: usize = 3_072;

/// Streams open at once. One takes about two kilobytes, and more where its connection is its own.
pub const STREAMS_MAX: usize = 16_384;

/// Streams of one end user open at once: a few tabs on a few devices.
pub const STREAMS_PER_USER_MAX: usize = 16;

/// Streams of one service's token open at once: a gateway holds those of its users.
pub const STREAMS_PER_SERVICE_MAX: usize = 12_288;

/// Calls answered at once that want no token, and calls of methods that do not exist. Their senders are not known, and take
/// the place of no known caller. When all places are taken, the newest call takes the place of the oldest.
pub const OPEN_CALLS_MAX: usize = 256;

/// Streams open at once that want no token: a load balancer watches the health over one, a developer's tool reflects.
pub const OPEN_STREAMS_MAX: usize = 64;

/// How long the body of a call may stand still or trickle in, however late its deadline is: a body is 1 MiB at most.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// When a refused caller should come back, in milliseconds.
pub const RETRY_AFTER_MS: u32 = 100;

/// Connections open at once; further ones wait to be accepted.
pub const CONNECTIONS_MAX: usize = 10_000;

/// Calls at once on one HTTP/2 connection.
pub const STREAMS_PER_CONNECTION_MAX: u32 = 256;

/// Bytes of the head of a request. A token has 46, a trace context 55.
pub const HEAD_BYTES_MAX: usize = 64 << 10;

/// How long a connection may take to send the head of a request; also how long it may stay idle.
pub const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a TLS handshake may take, from the connection's first moment: two round trips over the slowest line, and
/// less than a connection without TLS may take for its first head.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection that was refused before its first call is still read from, so that its client reads why.
pub const LINGER_TIMEOUT: Duration = Duration::from_secs(1);

/// Bytes that are read from such a connection.
pub const LINGER_BYTES_MAX: u64 = 64 << 10;

/// How long an HTTP/2 connection may have no call in flight, although its client answers pings: longer than the pauses
/// of a client that is in use.
pub const IDLE_TIMEOUT: Duration = Duration::from_mins(5);

/// How long a client may take nothing of an answer or of a stream: longer than a phone is out of reach on a train. Meanwhile
/// the waiting answer takes memory, and its place.
pub const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of an answer that are given to HTTP/2 at once: what it holds of one that its client does not take.
pub const SEND_PIECE: usize = 64 << 10;

/// Streams of an HTTP/2 connection that its client has reset before they were looked at; with more the connection ends
/// with ENHANCE_YOUR_CALM. Clients that give up a call do so one at a time.
pub const RESETS_PENDING_MAX: usize = 20;

/// Streams of an HTTP/2 connection that the server has reset for errors of its client; with more the connection ends.
pub const ERRORS_PER_CONNECTION_MAX: usize = 256;

/// How long calls in flight may still run once a shutdown began.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// How often an open stream asks whether its credential is still valid. A revocation by this process ends its streams at
/// once. This interval is for a revocation by another process, and long enough that ten thousand streams ask a thousand times
/// a second.
pub const CREDENTIAL_RECHECK: Duration = Duration::from_secs(10);

/// How long a ticket for a stream is valid: a page that is open for longer fetches another.
pub const STREAM_TICKET_LIFE: Duration = Duration::from_hours(1);

/// Characters of a bearer token; longer ones are refused before they are hashed.
pub const BEARER_LEN_MAX: usize = 128;

/// Characters of a JWT, which travels with every call: one with names, roles and a long signature has 2,000. Longer ones
/// are refused before anything is read of them.
pub const JWT_LEN_MAX: usize = 4_096;

/// Bytes of the name of a key: hashes and URLs fit.
pub const JWT_KID_LEN_MAX: usize = 256;

/// Keys for JWTs: an issuer publishes two to ten.
pub const JWT_KEYS_MAX: usize = 64;

/// Of those, keys without a name, each of which is tried with a token that names no other.
pub const JWT_NAMELESS_KEYS_MAX: usize = 4;

/// Bytes of a document of keys: 64 with certificates have less.
pub const JWKS_BYTES_MAX: usize = 256 << 10;

/// How long the address of keys may take to answer.
pub const JWKS_TIMEOUT: Duration = Duration::from_secs(5);

/// When an address that could not be read is asked again.
pub const JWKS_RETRY: Duration = Duration::from_secs(30);

/// The shortest time between two requests for the keys because of tokens whose key is not known. A client that makes such
/// tokens up must not be able to make this server call the issuer at will.
pub const JWKS_UNKNOWN_KEY_PAUSE: Duration = Duration::from_secs(10);

/// How long a one-time code of the console can be used: as long as it takes to open a browser.
pub const CONSOLE_CODE_LIFE: Duration = Duration::from_mins(5);

/// One-time codes that wait to be used. One more ends the oldest.
pub const CONSOLE_CODES_MAX: usize = 100;
