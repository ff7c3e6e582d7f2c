import EaselCore
import EaselCurl
import EaselTestSupport
import FoundationEssentials
import Testing

struct CurlLoaderTests {
  @Test func takesOnlyTheWeb() {
    let loader = CurlLoader()
    #expect(loader.canLoad(URL(string: "http://a/b")!))
    #expect(loader.canLoad(URL(string: "HTTPS://a/b")!))
    #expect(!loader.canLoad(URL(string: "file:///a/b")!))
    #expect(!loader.canLoad(URL(string: "ftp://a/b")!))
  }
}
