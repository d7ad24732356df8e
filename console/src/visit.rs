//! One request of an operator who is signed in: what a page is made from.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{FromRequest, RawPathParams};
use axum::response::{IntoResponse, Response};
use guanxi_model::{AuditOutcome, AuditTarget, PostId, Uid};
use guanxi_rim::{CallerAddress, Operator, OperatorCalls};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use maud::Markup;

use crate::Console;
use crate::answer::{Answer, Trouble};
use crate::gate::{self, SESSION};
use crate::layout::{self, Frame};
use crate::limits::{FORM_BYTES_MAX, FORM_TIMEOUT};
use crate::look::Look;
use crate::sessions::{Session, is_same};
use crate::texts::Text;

/// Values by name, of a path, a query or a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values(Vec<(String, String)>);

impl Values {
    pub(crate) fn read(encoded: &[u8]) -> Self {
        Self(form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// Returns all values, in their order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns a value; empty if there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.trim())
    }
}

/// A request of a stranger, or of an operator before it is known: sign-in pages look at it.
pub(crate) struct Knock {
    pub(crate) console: Arc<Console>,
    pub(crate) address: Option<CallerAddress>,
    pub(crate) look: Look,
    pub(crate) query: Values,
    pub(crate) form: Values,
}

/// A request of an operator. A stream keeps a copy of it.
#[derive(Clone)]
pub(crate) struct Visit {
    pub(crate) console: Arc<Console>,
    pub(crate) session: Session,
    /// What calls as the operator.
    pub(crate) calls: OperatorCalls,
    pub(crate) look: Look,
    /// The path, which forms come back to.
    pub(crate) path: String,
    pub(crate) query: Values,
    pub(crate) form: Values,
    of_path: Values,
}

impl Visit {
    pub(crate) fn operator(&self) -> &Operator {
        &self.session.operator
    }

    /// Returns a part of the path.
    pub(crate) fn part(&self, name: &str) -> &str {
        self.of_path.get(name)
    }

    /// Returns the user of the path.
    pub(crate) fn uid(&self) -> Result<u64, Trouble> {
        uid(self.part("uid"))
    }

    /// Returns the post of the path.
    pub(crate) fn post_id(&self) -> Result<u64, Trouble> {
        post_id(self.part("post"))
    }

    fn frame(&self) -> Frame<'_> {
        let Self { console, look, path, session, .. } = self;
        let offers = &console.offers;
        Frame { look: *look, path, operator: &session.operator, csrf: &session.csrf, offers }
    }

    /// Returns a page of the console.
    pub(crate) fn page(&self, title: &str, body: &Markup) -> Answer {
        Answer::page(layout::page(&self.frame(), title, body))
    }

    /// Makes a call that shows what a user sees or has, or that changes it, and notes that in the audit log under the name of the
    /// call. What cannot be noted is not done.
    pub(crate) async fn looked<T, E: Into<Trouble>>(
        &self,
        action: &str,
        uid: u64,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Trouble> {
        self.noted(action, users([uid]), call).await
    }

    /// Makes a call of the main listener that changes something for users, and notes it in the audit log under the name of the call.
    /// A change that cannot be noted is not made.
    pub(crate) async fn acted<T, E: Into<Trouble>>(
        &self,
        action: &str,
        of: impl IntoIterator<Item = u64>,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Trouble> {
        self.may_change()?;
        self.noted(action, users(of), call).await
    }

    /// As [`Self::looked`], at a post.
    pub(crate) async fn looked_at_post<T, E: Into<Trouble>>(
        &self,
        action: &str,
        post_id: u64,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Trouble> {
        let target = PostId::new(post_id).ok().map(AuditTarget::Post);
        self.noted(action, target.into_iter().collect(), call).await
    }

    async fn noted<T, E: Into<Trouble>>(
        &self,
        action: &str,
        targets: Vec<AuditTarget>,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Trouble> {
        let note = self.console.desk.begin_note(self.operator(), action, targets).await?;
        let answer = call.await.map_err(Into::into);
        let outcome = AuditOutcome::of(&answer.as_ref().map(drop).map_err(Trouble::error));
        self.console.desk.end_note(note, outcome).await;
        answer
    }

    /// Refuses an operator who only looks.
    pub(crate) fn may_change(&self) -> Result<(), Trouble> {
        if self.operator().may_change() { Ok(()) } else { Err(Trouble::OnlyLooks) }
    }

    /// Returns a text in the reader's language.
    pub(crate) fn say(&self, text: Text) -> &'static str {
        self.look.say(text)
    }
}

/// Returns users as the audit log names them.
fn users(of: impl IntoIterator<Item = u64>) -> Vec<AuditTarget> {
    of.into_iter().filter_map(|uid| Uid::new(uid).ok().map(AuditTarget::User)).collect()
}

/// Reads a uid that a reader gave.
pub(crate) fn uid(text: &str) -> Result<u64, Trouble> {
    let read = text.parse().ok().and_then(|raw| Uid::new(raw).ok());
    read.map(Uid::get).ok_or_else(|| Trouble::Bad(Text::BadUid, text.to_owned()))
}

/// Reads a post id that a reader gave.
pub(crate) fn post_id(text: &str) -> Result<u64, Trouble> {
    let read = text.parse().ok().and_then(|raw| PostId::new(raw).ok());
    read.map(PostId::get).ok_or_else(|| Trouble::Bad(Text::BadPostId, text.to_owned()))
}

/// Why a request is refused before a page looks at it, as an answer.
pub(crate) struct Refused(Box<Answer>);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl Refused {
    fn with(answer: Answer) -> Self {
        Self(Box::new(answer))
    }

    fn of(trouble: &Trouble, look: Look) -> Self {
        Self::with(Answer::failed(trouble.status(), layout::trouble(look, trouble)))
    }
}

/// What is read of every request, whoever sends it.
struct Head {
    method: Method,
    address: Option<CallerAddress>,
    look: Look,
    cookie: Option<String>,
    path: String,
    query: Values,
}

impl Head {
    fn read(console: &Console, request: &Request<Body>) -> Result<Self, Refused> {
        let headers = request.headers();
        let look = Look::of(headers);
        gate::check(&console.hosts, request.method(), headers)
            .map_err(|foreign| Refused::of(&Trouble::Foreign(foreign), look))?;
        let query = request.uri().query().unwrap_or_default();
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(Self {
            method: request.method().clone(),
            address: request.extensions().get().copied(),
            look,
            cookie: gate::find(headers, SESSION).map(str::to_owned),
            path,
            query: Values::read(query.as_bytes()),
        })
    }

    /// Reads the form, within its limit and its time.
    async fn form(&self, body: Body) -> Result<Values, Refused> {
        if self.method != Method::POST {
            return Ok(Values::default());
        }
        let read = tokio::time::timeout(FORM_TIMEOUT, Limited::new(body, FORM_BYTES_MAX).collect()).await;
        let read = read.ok().and_then(Result::ok);
        let read = read.ok_or_else(|| Refused::of(&Trouble::FormTooLarge, self.look))?;
        Ok(Values::read(&read.to_bytes()))
    }

    /// Returns the session of the request; where no credential is asked for, a new one if it has none.
    async fn session(&self, console: &Console) -> Option<(Session, Option<String>)> {
        let now = Instant::now();
        if let Some(session) = self.cookie.as_deref().and_then(|secret| console.sessions.find(secret, now)) {
            match console.desk.is_valid(&session.operator).await {
                Ok(true) => return Some((session, None)),
                Ok(false) => console.sessions.end(&session),
                // The store cannot tell. Nothing is shown meanwhile, and the session stays.
                Err(error) => tracing::warn!(%error, "the credential of a session could not be checked"),
            }
        }
        let anybody = console.desk.anybody()?;
        let (session, secret) = console.begin(anybody, now);
        Some((session, Some(secret)))
    }
}

impl FromRequest<Arc<Console>> for Knock {
    type Rejection = Refused;

    async fn from_request(request: Request<Body>, console: &Arc<Console>) -> Result<Self, Refused> {
        let head = Head::read(console, &request)?;
        let form = head.form(request.into_body()).await?;
        let Head { address, look, query, .. } = head;
        Ok(Self { console: Arc::clone(console), address, look, query, form })
    }
}

impl FromRequest<Arc<Console>> for Visit {
    type Rejection = Refused;

    async fn from_request(request: Request<Body>, console: &Arc<Console>) -> Result<Self, Refused> {
        let head = Head::read(console, &request)?;
        let Some((session, new)) = head.session(console).await else {
            return Err(sign_in_first(&head));
        };
        if let Some(secret) = new {
            // The page is asked for again, with the cookie. A browser that keeps none is told at the second time.
            let path = head.path.as_str();
            return Err(if head.method == Method::GET && head.query.get("cookie").is_empty() {
                let mark = if path.contains('?') { '&' } else { '?' };
                let cookie = gate::set(SESSION, &secret, console.is_tls);
                Refused::with(Answer::to(&format!("{path}{mark}cookie=1")).with_cookie(cookie))
            } else {
                Refused::of(&Trouble::FormStale, head.look)
            });
        }
        let (mut parts, body) = request.into_parts();
        let of_path = match <RawPathParams as axum::extract::FromRequestParts<_>>::from_request_parts(
            &mut parts, console,
        )
        .await
        {
            Ok(parts) => {
                Values(parts.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
            }
            Err(_) => return Err(Refused::of(&Trouble::NotFound, head.look)),
        };
        let form = head.form(body).await?;
        if head.method == Method::POST && !is_same(&session.csrf, form.get("csrf")) {
            return Err(Refused::of(&Trouble::FormStale, head.look));
        }
        let calls = console.desk.calls(&session.operator);
        let Head { look, path, query, .. } = head;
        Ok(Self { console: Arc::clone(console), session, calls, look, path, query, form, of_path })
    }
}

/// Leads to the sign-in page, and from there back.
fn sign_in_first(head: &Head) -> Refused {
    if head.method != Method::GET {
        return Refused::of(&Trouble::SignedOut, head.look);
    }
    let next: String = form_urlencoded::byte_serialize(head.path.as_bytes()).collect();
    Refused::with(Answer::to(&format!("/sign-in?next={next}")))
}

/// The answer of a page, or of what went wrong. Pages return it by `?`.
pub(crate) type Shown = Result<Answer, Trouble>;

/// Returns the answer of a page for a visit.
pub(crate) fn shown(visit: &Visit, shown: Shown) -> Answer {
    shown.unwrap_or_else(|trouble| {
        if trouble.status() == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(?trouble, path = visit.path, "a page of the console failed");
        }
        let words = trouble.words(visit.look);
        Answer::failed(
            trouble.status(),
            layout::page(&visit.frame(), visit.say(Text::RefusedTitle), &layout::sad(visit.look, &words)),
        )
    })
}
