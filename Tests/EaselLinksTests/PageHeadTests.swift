import Testing

@testable import EaselLinks

/// What a page says of its pictures.
struct PageHeadTests {
  private func head(_ text: String) -> PageHead { PageHead(Array(text.utf8)) }

  @Test func picturesOfOpenGraphAndOfCardsAreFound() {
    let page = head(
      """
      <!doctype html><html><head>
      <title>A < b <meta property="og:image" content="no"></title>
      <!-- <meta property="og:image" content="no"> -->
      <script>document.write('<meta property="og:image" content="no">')</script>
      <META content='/a.jpg?x=1&amp;y=2' PROPERTY=og:image />
      <meta property="og:image:secure_url" content="https://host/b.jpg"><meta property=og:image:width content=3>
      <meta name="twitter:image" content="c.jpg">
      </head><body><meta property="og:image" content="no"></body></html>
      """)
    #expect(page.names(of: .openGraph) == ["/a.jpg?x=1&y=2", "https://host/b.jpg"])
    #expect(page.names(of: .card) == ["c.jpg"])
    #expect(page.names(of: .icon) == ["/favicon.ico"] && page.names(of: .manifest) == [])
  }

  @Test func theLargestIconIsFirst() {
    let page = head(
      """
      <base href="/x/"><link rel="shortcut icon" href="16.ico"><link rel=icon sizes="32x32 48x48" href=48.png>
      <link rel="apple-touch-icon" href="180.png"><link rel="icon" sizes="any" href="any.svg">
      <link rel="mask-icon" href="no.svg"><link rel="manifest" href="m.json"><link rel=icon>
      """)
    #expect(page.names(of: .icon) == ["any.svg", "180.png", "48.png", "16.ico", "/favicon.ico"])
    #expect(page.manifest == "m.json" && page.base == "/x/")
  }

  @Test(arguments: [
    ("&amp;&lt;&gt;&quot;&apos;", "&<>\"'"), ("&#38;&#x2F;&#X2f;", "&//"), ("&nothing;&", "&nothing;&"),
    ("&#xD800;&#99999999;", "&#xD800;&#99999999;"), ("a&b;c", "a&b;c"),
  ])
  func entitiesAreResolved(_ text: String, _ expected: String) { #expect(HTMLEntities.resolved(text) == expected) }

  @Test func everyCutOfAPageIsRead() {
    let text =
      "<head><!-- a --><script>x</script><meta property='og:image' content=\"a&amp;b\"><link rel=icon href=i></head>"
    for length in 0...text.utf8.count {
      let page = PageHead(Array(text.utf8.prefix(length)))
      #expect([[], ["a&b"]].contains(page.names(of: .openGraph)))
    }
  }

  @Test func iconsOfAManifestAreFound() {
    let text = """
      {"name": "a", "icons": [{"src": "small.png", "sizes": "48x48"}, {"src": "mask.png", "purpose": "monochrome"},
       {"src": "large.png", "sizes": "192x192 512x512", "purpose": "any maskable"}, {"sizes": "1x1"}, {"src": "bare.png"}]}
      """
    #expect(WebManifest.icons(in: Array(text.utf8)) == ["large.png", "small.png", "bare.png"])
    #expect(WebManifest.icons(in: Array("[]".utf8)) == [] && WebManifest.icons(in: []) == [])
  }
}
