import EaselServiceTestSupport
import Testing

@testable import EaselCore
@testable import EaselService

/// All grammars keep the contract of grammars.
struct GrammarContractTests {
  @Test func imgproxy() async {
    let contract = URLGrammarContract(
      ImgproxyReader(rules: URLRules(), signer: nil, formats: NamedFormats.names),
      sources: [
        "/x/plain/https://host/a.jpg": "https://host/a.jpg", "/x/w:10/plain/local:///a@png": "local:///a",
        "/x/rs:fit:10:20/aHR0cHM6Ly9ob3N0L2EuanBn": "https://host/a.jpg",
      ],
      meanings: [
        ["/x/w:10/plain/https://host/a", "/x/width:10/plain/https://host/a", "/y/rs:fit:10:0/plain/https://host/a"],
        ["/x/w:11/plain/https://host/a"], ["/x/w:10/plain/https://host/b"],
      ],
      mistakes: ["/x/widht:10/plain/https://host/a": "widht", "/x/w:a/plain/https://host/a": "width"])
    #expect(await contract.check() == [])
  }

  @Test func thumbor() async {
    let contract = URLGrammarContract(
      ThumborReader(signer: nil, formats: NamedFormats.names),
      sources: [
        "/unsafe/10x20/host/a.jpg": "http://host/a.jpg", "/x/filters:blur(2)/https://host/a": "https://host/a",
      ],
      meanings: [["/x/10x20/host/a", "/y/10x20/http://host/a"], ["/x/20x10/host/a"]],
      mistakes: ["/x/filters:blurr(2)/host/a": "blurr"])
    #expect(await contract.check() == [])
  }

  @Test func cloudflare() async {
    let contract = URLGrammarContract(
      CloudflareGrammar(),
      sources: [
        "/width=80,quality=75/uploads/avatar1.jpg": "local:///uploads/avatar1.jpg",
        "/trim=20;30;20;0,fit=cover,w=3,h=4/https://host/a.jpg?x=1": "https://host/a.jpg?x=1",
      ],
      meanings: [
        [
          "/w=10,h=20/https://host/a", "/height=20,width=10/https://host/a", "/h=20,w=10,fit=scale-down/https://host/a",
        ],
        ["/w=10,h=20,fit=cover/https://host/a"], ["/w=10,h=20/https://host/a?b"],
      ],
      mistakes: ["/wdith=10/https://host/a": "wdith", "/w=x/https://host/a": "w takes"])
    #expect(await contract.check() == [])
  }

  @Test func next() async {
    let contract = URLGrammarContract(
      NextGrammar(), sources: ["?url=%2Fa.jpg&w=640&q=75": "local:///a.jpg"],
      meanings: [
        ["?url=%2Fa.jpg&w=640&q=75", "?q=75&w=640&url=/a.jpg", "?url=%2Fa.jpg&w=640&q=75&dpl=1"],
        ["?url=%2Fa.jpg&w=750&q=75"],
      ],
      mistakes: ["?url=%2Fa.jpg&w=641&q=75": "641", "?url=%2Fa.jpg&q=75": "w"])
    #expect(await contract.check() == [])
  }

  @Test func iiif() async {
    let contract = URLGrammarContract(
      IIIFGrammar(),
      sources: [
        "/a%2Fb/full/max/0/default.jpg": "local:///a/b", "/a/info.json": "local:///a", "/a": "local:///a",
        "/https%3A%2F%2Fhost%2Fa/pct:10,10,200,50/^!90,80/!22.5/bitonal.png": "https://host/a",
        "/a/1,2,3,4/^pct:400/0/gray.webp": "local:///a",
      ],
      meanings: [
        ["/a/full/max/0/default.jpg", "/a/full/max/360/color.jpg", "/a/pct:0,0,100,100/max/0/default.jpg"],
        ["/a/full/max/90/default.jpg"], ["/a/square/max/0/default.jpg"], ["/a/full/max/0/default.png"],
      ],
      mistakes: ["/a/fuul/max/0/default.jpg": "fuul", "/a/full/maxx/0/default.jpg": "maxx"])
    #expect(await contract.check() == [])
  }

  @Test func deepZoom() async {
    let contract = URLGrammarContract(
      DeepZoomGrammar(), sources: ["/a%2Fb.dzi": "local:///a/b", "/a.tif_files/3/0_0.jpg": "local:///a.tif"],
      meanings: [
        ["/a_files/8/0_0.jpg", "/a_files/8/0_0.jpeg", "/a_files/8/00_0.jpg"], ["/a_files/9/0_0.jpg"],
        ["/a_files/8/0_0.png"],
      ],
      mistakes: ["/a_files/8/0-0.jpg": "0-0", "/a_files/8/0_0.xyz": "xyz"])
    #expect(await contract.check() == [])
  }
}
