//! A connection that only listens.

use crate::connect::connect_undriven;
use crate::databases::Database;
use crate::fault::Fault;
use futures_util::StreamExt as _;
use futures_util::stream::poll_fn;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_postgres::AsyncMessage;

/// How long a database may take to let us in, and to answer.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// How often it is asked, so that a connection that says nothing any more is noticed.
const ASK_EVERY: Duration = Duration::from_secs(30);

/// Hears notifications of `gx` until the connection ends; each is told with its payload.
///
/// # Errors
/// Why it ended.
pub async fn listen(database: &Database, heard: impl Fn(&str) + Send + 'static) -> Result<(), Fault> {
    let connected = timeout(ANSWER_MAX, connect_undriven(database)).await;
    let (client, mut connection) = connected.map_err(|_| Fault::late())??;
    let mut messages = poll_fn(move |context| connection.poll_message(context));
    let listening = async {
        while let Some(message) = messages.next().await {
            if let AsyncMessage::Notification(notification) = message? {
                heard(notification.payload());
            }
        }
        Ok(())
    };
    let asking = async {
        loop {
            // To listen once more changes nothing.
            timeout(ANSWER_MAX, client.batch_execute("listen gx")).await.map_err(|_| Fault::late())??;
            sleep(ASK_EVERY).await;
        }
    };
    tokio::select! {
        ended = listening => ended,
        ended = asking => ended,
    }
}
