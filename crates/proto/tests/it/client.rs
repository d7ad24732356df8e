//! What a client is made of is checked before it calls.

use guanxi_proto::{Client, ClientOptions};

#[test]
fn addresses_and_tokens_are_checked_and_tokens_are_not_shown() {
    for bad in ["", "127.0.0.1:7420", "ftp://a.example", "http://", "https://"] {
        assert!(Client::new(&ClientOptions::new(bad)).is_err(), "{bad}");
    }
    let mut options = ClientOptions::new("http://127.0.0.1:7420");
    assert!(Client::new(&options).is_ok());
    options.token = Some("gx_secret".to_owned());
    assert!(Client::new(&options).is_ok());
    assert!(!format!("{options:?} {:?}", Client::new(&options)).contains("secret"));
    options.token = Some("line\nbreak".to_owned());
    assert!(Client::new(&options).is_err());
}
