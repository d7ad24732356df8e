//! The keys of the terminal, without waiting for a line.

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::future::pending;
use std::io::{self, IsTerminal as _, Read as _};
use tokio::sync::mpsc;

/// The keys that leave.
const QUIT: [u8; 2] = [b'q', b'Q'];

/// Listens for keys. The terminal is as it was before once this is dropped.
pub(super) struct KeyPresses {
    before: Option<Termios>,
    quit: mpsc::Receiver<()>,
}

impl KeyPresses {
    /// Begins to listen, if standard input is a terminal. Ctrl-C stays a signal.
    pub(super) fn listen() -> io::Result<Self> {
        let (pressed, quit) = mpsc::channel(1);
        if !io::stdin().is_terminal() {
            return Ok(Self { before: None, quit });
        }
        let before = tcgetattr(io::stdin())?;
        let mut by_key = before.clone();
        by_key.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        tcsetattr(io::stdin(), OptionalActions::Now, &by_key)?;
        // It ends with the process: a read of a terminal cannot be called off.
        std::thread::Builder::new().name("guanxi-keys".into()).spawn(move || read_keys(&pressed))?;
        Ok(Self { before: Some(before), quit })
    }

    /// Completes when a key was pressed that leaves.
    pub(super) async fn quit(&mut self) {
        if self.quit.recv().await.is_none() {
            // Standard input has ended, or is no terminal.
            pending::<()>().await;
        }
    }
}

impl Drop for KeyPresses {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

fn read_keys(pressed: &mpsc::Sender<()>) {
    let mut key = [0];
    while let Ok(1..) = io::stdin().read(&mut key) {
        if QUIT.contains(&key[0]) && pressed.blocking_send(()).is_err() {
            return;
        }
    }
}
