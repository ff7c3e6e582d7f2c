import Easel
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// The page of the running server; script/check playground tries it in a browser.
@Suite(.tags(.alone))
struct ServePlaygroundTests {
  @Test func theCommandOfThePageMakesThePictureOfItsAddress() async throws {
    try await AsyncScratch.with { scratch in
      let name = "it's a $(touch hit) `touch hit`.png"
      try Pictures.png(160, 120).write(to: scratch.url(name))
      let options = ["--unsafe", "--local", scratch.path, "--drain-delay", "0", "--playground"]
      try await ServeProgram.running(options, in: scratch) { program in
        let source = try #require("local:///\(name)".addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let path = "/rs:fit:80:80/plain/\(source)@webp"
        let query = try #require(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let answer = try await program.get("/playground/sign?path=\(query)")
        let texts = try JSONDecoder().decode([String: String].self, from: Data(answer.body))
        let command = try #require(texts["command"])
        let folder = URL(fileURLWithPath: EaselProcess.path).deletingLastPathComponent().path
        let outcome = try Child.run([
          "/bin/sh", "-c", "cd \"$0\" && PATH=\"$1:$PATH\"\n\(command)", scratch.path, folder,
        ])
        #expect(outcome.status == 0, "\(command): \(outcome.errors)")
        let made = try Data(contentsOf: scratch.url("picture.webp"))
        let served = try await program.get(try #require(texts["url"]))
        #expect(served.status == 200 && Data(served.body) == made)
        #expect(try Pictures.decoded(made).bitmap.size == PixelSize(width: 80, height: 60))
        #expect(!FileManager.default.fileExists(atPath: scratch.url("hit").path))
      }
    }
  }
}
