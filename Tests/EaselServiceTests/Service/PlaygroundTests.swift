import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// The page on which URLs are tried out; script/check playground tries it in a browser.
struct PlaygroundTests {
  private func studio(secret: String? = nil) -> ServiceStudio { PlaygroundVisitor(secret: secret).studio }

  private func sign(_ path: String, _ studio: ServiceStudio, _ headers: HTTPHeaders = [:]) -> ServiceResponse? {
    studio.atOnce("/playground/sign?path=\(PlaygroundVisitor.escaped(path))", headers)
  }

  @Test(arguments: [
    ("/", "text/html"), ("/playground.js", "text/javascript"), ("/playground.css", "text/css"),
    ("/playground/options", "application/json"),
  ])
  func thePageComesUnderAStrictPolicy(_ path: String, _ type: String) throws {
    let answer = try #require(studio().atOnce(path))
    #expect(answer.status == 200 && answer.headers["Content-Type"]?.hasPrefix(type) == true && !answer.bytes.isEmpty)
    let policy = try #require(answer.headers["Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"))
    #expect(ServiceStudio().atOnce(path)?.headers["Content-Type"]?.hasPrefix(type) != true)
  }

  @Test func thePageHasNoScriptsAndStylesInItself() throws {
    let page = try #require(studio().atOnce("/")).text
    for part in ["onclick", "style=", "<style", "javascript:", "https://cdn"] {
      #expect(!page.contains(part), "\(part)")
    }
    #expect(page.contains("lang=\"en\"") && page.contains("aria-live"))
  }

  @Test func thePageKnowsAllOptions() throws {
    let text = try #require(studio().atOnce("/playground/options")).text
    for option in ImgproxyOption.all { #expect(text.contains("\"name\":\"\(option.names[0])\"")) }
  }

  @Test func aSignedAddressComesWithTheCommandAndTheCode() async throws {
    let studio = studio()
    let answer = try #require(sign("/rs:fit:20:20/q:50/plain/https://host/a.jpg@webp", studio))
    #expect(answer.status == 200)
    let url = try #require(answer.text.split(separator: "\"").first { $0.hasPrefix("/") && $0.contains("rs:fit") })
    try studio.place()
    #expect(await studio.get(String(url)).headers["Content-Type"] == "image/webp")
    #expect(answer.text.contains("easel convert --transform 'Resize({20,20},4,4,1)-Encode(webp,q50,quality-scale:1)'"))
    #expect(answer.text.contains("TransformerPipeline(parsing: \\\"Resize({20,20},4,4,1)\\\")"))
  }

  @Test(arguments: [
    ("rs:fit:20:20/plain/https://host/a", 400), ("/nosuch:1/plain/https://host/a", 400), ("/plain/ftp://host/a", 403),
    ("", 400), ("/w:1\n/plain/https://host/a", 400), ("/" + String(repeating: "a", count: 9000), 414),
  ])
  func nonsenseIsNotSigned(_ path: String, _ status: Int) {
    let answer = sign(path, studio())
    #expect(answer?.status == status || answer?.status == 400 && status == 414)
    #expect(answer?.text.contains("\"url\"") == false)
  }

  @Test func withASecretOnlyThoseWhoKnowItHaveAddressesSigned() {
    let studio = studio(secret: "open sesame")
    let path = "/w:5/plain/https://host/a"
    #expect(sign(path, studio)?.status == 403)
    for wrong in ["Bearer", "Bearer open", "Bearer open sesamE", "open sesame", "Bearer open sesame "] {
      #expect(sign(path, studio, ["Authorization": wrong])?.status == 403)
    }
    #expect(sign(path, studio, ["Authorization": "Bearer open sesame"])?.status == 200)
    #expect(studio.atOnce("/")?.status == 200)
  }

  @Test func answersTellTheirTimeOnlyWithThePage() async throws {
    let studio = studio()
    #expect(studio.atOnce("/health")?.headers["Server-Timing"]?.hasPrefix("total;dur=") == true)
    #expect(ServiceStudio().atOnce("/health")?.headers["Server-Timing"] == nil)
  }
}
