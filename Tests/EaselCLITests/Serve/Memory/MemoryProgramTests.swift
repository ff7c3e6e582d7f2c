import EaselCore
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// The server as a program with a limit of memory.
@Suite(.tags(.alone))
struct MemoryProgramTests {
  @Test func aPictureWithoutMemoryForItIsAnAnswerAndNotTheEnd() async throws {
    try await AsyncScratch.with { scratch in
      let options =
        try ServeProgram.withPictures(in: scratch) + [
          "--memory-limit", "200M", "--max-result-pixels", "100M", "--metrics", "127.0.0.1:0",
        ]
      try await ServeProgram.running(options, in: scratch) { program in
        let large = try await program.get(ServeProgram.url("rs:force:9000:9000:1", "1.png"))
        #expect(large.status == 422)
        #expect(String(decoding: large.body, as: UTF8.self).contains("MB of memory to make"))
        let small = try await program.get(ServeProgram.url("w:80", "1.png"))
        #expect(small.status == 200)
        let address = try #require(await program.metricsAddress())
        let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
        let answer = try await RawClient.get("/metrics", from: port)
        let metrics = String(decoding: answer.body, as: UTF8.self)
        for line in [
          "easel_memory_limit_bytes 200000000\n", "easel_memory_pressure 0\n",
          "easel_rejected_total{reason=\"memory\"} 1\n", "easel_memory_bytes{part=\"work\"} 0\n",
        ] { #expect(metrics.contains(line), "\(line)") }
        #expect(metrics.contains("easel_memory_bytes{part=\"cache\"} "))
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
      }
    }
  }

  @Test func theCheckShowsTheShares() throws {
    let check = try Child.run([EaselProcess.path, "serve", "--unsafe", "--memory-limit", "512M", "--check"])
    let text = String(decoding: check.output, as: UTF8.self)
    #expect(check.status == 0 && text.contains("\nMemory\n") && text.contains("512 MB, the limit"))
    let refused = try Child.run([EaselProcess.path, "serve", "--unsafe", "--memory-limit", "10M", "--check"])
    #expect(refused.status == 2)
  }
}
