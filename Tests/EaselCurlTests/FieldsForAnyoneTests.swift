import EaselCore
import EaselCurl
import Testing

struct FieldsForAnyoneTests {
  private let all: HTTPHeaders = [
    "ACCEPT": "image/webp", "Accept-Language": "de", "Authorization": "Bearer x", "Cache-Control": "no-cache",
    "Content-Type": "image/png", "Cookie": "a=b", "If-None-Match": "\"a\"", "Pragma": "no-cache", "Range": "bytes=0-9",
    "Referer": "http://site.test/", "User-Agent": "Easel", "X-Api-Key": "y", "X-Site": "s",
  ]

  @Test func onlyFieldsWithoutSecretsAreKept() {
    let kept = all.forAnyone(hasBody: false)
    #expect(
      kept.fields.map(\.name) == [
        "ACCEPT", "Accept-Language", "Cache-Control", "If-None-Match", "Pragma", "Range", "Referer", "User-Agent",
      ])
    #expect(kept.fields.allSatisfy { all[$0.name] == $0.value })
  }

  @Test func aBodyKeepsTheFieldsThatDescribeIt() {
    #expect(all.forAnyone(hasBody: true)["Content-Type"] == "image/png")
  }

  @Test func namedFieldsAreKeptInAnySpelling() {
    let kept = all.forAnyone(hasBody: false, and: ["x-SITE"])
    #expect(kept["X-Site"] == "s" && kept["X-Api-Key"] == nil)
  }
}
