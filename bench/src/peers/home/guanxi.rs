//! guanxi itself: its binary on a directory that holds the world.

use super::HomeServer;
use crate::peers::guanxi::Installation;
use crate::peers::{Place, Server};
use crate::wire::home::GuanxiHome;

/// Serves a directory, and answers it as a server of home pages.
pub(crate) fn serve(
    installation: &Installation,
    place: &Place,
    name: &'static str,
) -> Result<HomeServer, String> {
    let Server { version, settings, address, process, .. } = installation.serve(place)?.server;
    Ok(Server { name, version, settings, address, protocol: Box::new(GuanxiHome), process })
}
