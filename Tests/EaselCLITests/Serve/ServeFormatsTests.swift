import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// Formats that clients choose, name in the path, or get as they are.
@Suite(.tags(.alone)) struct ServeFormatsTests {
  @Test func clientsThatReadJPEGXLGetIt() async throws {
    try await AsyncScratch.with { scratch in
      let options = try ServeProgram.withPictures(in: scratch) + ["--formats", "jxl,webp"]
      try await ServeProgram.running(options, in: scratch) { (program) async throws in
        let path = ServeProgram.url("w:30", "1.png")
        for (accept, type) in [
          ("image/jxl,image/webp,*/*", "image/jxl"), ("image/webp,*/*", "image/webp"), ("*/*", "image/png"),
        ] {
          let answer = try await program.get(path, ["Accept: \(accept)"])
          #expect(answer.status == 200 && answer.headers["Content-Type"] == type)
          #expect(try Pictures.decoded(Data(answer.body)).bitmap.width == 30)
        }
        let named = try await program.get("/@jxl" + path)
        #expect(named.headers["Content-Type"] == "image/jxl" && named.headers["Vary"] == nil)
      }
    }
  }

  @Test func textsInURLsAreDrawnInTheSandbox() async throws {
    try await AsyncScratch.with { scratch in
      let options = try ServeProgram.withPictures(in: scratch)
      let text = Data("<b>Hill</b>".utf8).base64EncodedString().replacing("=", with: "")
      try await ServeProgram.running(options, in: scratch) { (program) async throws in
        let plain = try await program.get(ServeProgram.url("w:60", "1.png"))
        let drawn = try await program.get(ServeProgram.url("w:60/wm:1:ce/wmt:\(text)", "1.png"))
        #expect(plain.status == 200 && drawn.status == 200, "\(String(decoding: drawn.body, as: UTF8.self))")
        #expect(drawn.body != plain.body)
      }
      try await ServeProgram.running(options + ["--sandbox", "off"], in: scratch) { (program) async throws in
        let refused = try await program.get(ServeProgram.url("w:60/wm:1:ce/wmt:\(text)", "1.png"))
        #expect(refused.status == 400)
      }
    }
  }

  @Test func drawingsAreCleaned() async throws {
    try await AsyncScratch.with { scratch in
      let options = try ServeProgram.withPictures(in: scratch)
      let drawing =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\" onload=\"a()\"><script>b()</script>"
        + "<rect width=\"9\" height=\"9\"/></svg>"
      try Data(drawing.utf8).write(to: scratch.url("a.svg"))
      try Data("<svg xmlns=\"http://www.w3.org/2000/svg\">&evil;</svg>".utf8).write(to: scratch.url("b.svg"))
      try await ServeProgram.running(options, in: scratch) { (program) async throws in
        let answer = try await program.get("/unsafe/plain/local:///a.svg@svg")
        #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/svg+xml")
        #expect(answer.headers["Content-Security-Policy"]?.hasSuffix("sandbox") == true)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.hasSuffix(" width=\"9\" height=\"9\"><rect width=\"9\" height=\"9\"/></svg>"), "\(text)")
        #expect(!text.contains("onload") && !text.contains("script"))
        #expect(answer.headers["Content-Length"] == "\(answer.body.count)")
        #expect(try await program.get("/unsafe/plain/local:///a.svg").headers["Content-Type"] == "image/png")
        #expect(try await program.get("/unsafe/plain/local:///1.png@svg").status == 415)
        #expect(try await program.get("/unsafe/plain/local:///b.svg@svg").status == 422)
      }
    }
  }
}
