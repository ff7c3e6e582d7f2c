import EaselCore
import Testing

struct ResponseHeadTests {
  @Test(arguments: [
    ("image/png", "image/png"), ("IMAGE/PNG", "image/png"), ("image/svg+xml; charset=utf-8", "image/svg+xml"),
    ("  image/jpeg ;q=1;r=2", "image/jpeg"), ("\timage/gif\t; x", "image/gif"), ("image/webp;", "image/webp"),
  ])
  func theTypeIsBareAndLowerCase(field: String, type: String) {
    #expect(ResponseHead(headers: ["content-type": field]).mimeType == type)
  }

  @Test(arguments: ["", " ", ";", "; charset=utf-8"])
  func aFieldThatStatesNoTypeIsNone(field: String) {
    #expect(ResponseHead(headers: ["Content-Type": field]).mimeType == nil)
  }

  @Test func withoutTheFieldThereIsNoType() {
    #expect(ResponseHead(headers: ["X-Content-Type": "image/png"]).mimeType == nil)
  }
}
