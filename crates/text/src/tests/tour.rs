use guanxi_text::{Analysis, Query, QueryError, highlights, matches};

fn tour() -> Result<(), QueryError> {
    let query = Query::parse("strasse 手机 -\"big cat\" ser*")?;
    let text = "Die Straße: my server, 新手機!";
    assert!(matches(&query, text));
    assert_eq!(highlights(&query, text), [4..10, 15..21, 24..26]);

    let analysis = Analysis::of("Zoë: 你好");
    let tokens: Vec<(&str, u32)> = analysis.tokens().map(|token| (token.text, token.position)).collect();
    assert_eq!(tokens, [("zoe", 0), ("你", 1), ("你好", 1), ("好", 3)]);
    Ok(())
}
