//! The rules of who may call a method, and the methods of a process with their rules. The table is handed over.

use guanxi_model::Scope;
use rustc_hash::FxHashMap;

use crate::meters::Meter;

/// The access that a caller needs to be let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing, not even a token.
    Open,
    /// To be an end user, or a service with this scope.
    User(Scope),
    /// To be a service with this scope.
    Service(Scope),
    /// To be the operator, or a service with the scope `admin.read`, on the admin listener: the call changes nothing.
    AdminRead,
    /// To be the operator, on the admin listener.
    Admin,
}

impl Access {
    /// Returns whether the admin listener alone answers such calls.
    pub const fn is_operators(self) -> bool {
        matches!(self, Self::AdminRead | Self::Admin)
    }
}

/// The callers that may make accounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Registrants {
    /// Services alone, with the scope of the rule.
    #[default]
    Services,
    /// Services, and callers without a credential, within a budget of their address.
    Open,
}

/// The budget from which a call is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// The caller's reads.
    Reads,
    /// The caller's writes.
    Writes,
    /// The caller's follows.
    Follows,
    /// The caller's posts.
    Posts,
    /// The budget of the address that the call comes from: no credential is asked for.
    Address,
    /// Nothing: what undoes is never refused, and the operator is not.
    Free,
}

/// Whether a method has passwords hashed for callers without a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordUse {
    /// It does not.
    No,
    /// It makes accounts.
    Register,
    /// It compares a password with that of an account.
    Login,
}

/// The rule of one RPC.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// `package.Service/Method`.
    pub path: &'static str,
    /// The access that a caller needs to be let in.
    pub access: Access,
    /// The field of the acting user, in which an end user can only give itself, or nothing, which is the same. Handlers
    /// read it by `Caller::uid` or `reads_as`, and a test calls them all. In JSON it is also called `actor`. A call of the
    /// operator has one where an end user's takes the same message.
    pub own: Option<&'static str>,
    /// The budget from which a call is paid. A batch costs as much as its items.
    pub budget: Budget,
    /// Whether the call has a password hashed for a caller without a credential.
    pub password: PasswordUse,
}

impl Rule {
    /// Returns whether the client goes on sending while it is answered, so that its body has no end to wait for.
    pub fn streams_requests(&self) -> bool {
        self.path.ends_with("/ServerReflectionInfo")
    }
}

/// A stream that a ticket can open, as tickets have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketStream {
    /// StreamHomeTimeline.
    HomeTimeline = 1,
}

/// A stream that is served as events.
#[derive(Clone, Copy, Debug)]
pub struct EventStream {
    /// `package.Service/Method`.
    pub path: &'static str,
    /// The fields of its request that hold one value.
    pub single: &'static [&'static str],
    /// Those that hold several.
    pub repeated: &'static [&'static str],
    /// The purpose of a ticket that opens it; `None` if no ticket does.
    pub ticket: Option<TicketStream>,
}

/// The calls that a process answers: a rule for each RPC, and what is special about some. A call that has no rule is refused.
#[derive(Clone, Copy, Debug)]
pub struct CallTable {
    /// The rules.
    pub rules: &'static [Rule],
    /// The streams that are served as events, too.
    pub events: &'static [EventStream],
}

/// A method: its rule, with its meter.
pub struct Method {
    /// The rule.
    pub rule: Rule,
    pub(crate) meter: Meter,
    /// How it is served as events, if it is.
    pub(crate) events: Option<&'static EventStream>,
}

/// The methods of a table by path.
pub struct Methods(FxHashMap<&'static str, Method>);

impl Methods {
    /// Built once for a process. The paths are constants of the server, so that no client can make the table slow.
    pub fn new(table: &CallTable) -> Self {
        let method = |rule: &Rule| Method {
            rule: *rule,
            meter: Meter::new(rule.path),
            events: table.events.iter().find(|stream| stream.path == rule.path),
        };
        Self(table.rules.iter().map(|rule| (rule.path, method(rule))).collect())
    }

    /// The method of a path, `package.Service/Method`.
    pub fn find(&self, path: &str) -> Option<&Method> {
        self.0.get(path)
    }
}
