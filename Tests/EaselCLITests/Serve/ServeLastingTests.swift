import Easel
import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI
@testable import EaselService

/// The parts of a server that outlive a change of its settings take what the new ones say about them.
@Suite(.tags(.alone))
struct ServeLastingTests {
  @Test func theyFollowTheSettings() throws {
    try Scratch.with { scratch in
      var bench = ServeBench.file("workers = 2\nlog = off\ncache = \(scratch.directory.path)/cache")
      let first = try bench.read()
      let lasting = try ServePlan.Lasting(first.settings) { _ in }
      #expect(lasting.log.current == nil && lasting.disk?.limits.sizeLimit == 10_000_000_000)
      #expect(lasting.memory.store.configuration.costLimit == 256_000_000)

      bench.files["easel.conf"] =
        "workers = 5\nlog = json\ncache = \(scratch.directory.path)/cache\ncache-size = 2G\nmemory-size = 3M"
      lasting.follow(try bench.read(replacing: first).settings)
      #expect(lasting.disk?.limits.sizeLimit == 2_000_000_000)
      #expect(lasting.memory.store.configuration.costLimit == 3_000_000)
      let json = try #require(lasting.log.current)
      // The same style is the same log.
      lasting.follow(try bench.read(replacing: first).settings)
      #expect(lasting.log.current === json)
      lasting.log.close()
    }
  }
}
