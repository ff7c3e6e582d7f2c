import EaselCore
import EaselEverything
import Testing

@testable import EaselSandbox

/// A registry tells which formats its sandbox decodes.
struct ScopeTests {
  @Test(arguments: Sandbox.Scope.allCases) func aRegistryHasTheScopeThatItWasGiven(_ scope: Sandbox.Scope) {
    let sandbox = Sandbox()
    for before in Sandbox.Scope.allCases {
      let coders = CoderRegistry.everything.sandboxed(in: Sandbox(), before).sandboxed(in: sandbox, scope)
      #expect(coders.sandboxScope == scope)
      #expect(coders.sandbox === sandbox)
      for coder in coders.coders {
        let isInside = coder is Sandbox.Coder
        switch coder.identifier {
        case "svg": #expect(isInside)
        case "jpeg", "png", "gif", "webp", "bmp": #expect(isInside == (scope == .all), "\(coder.identifier)")
        default: break
        }
      }
    }
  }

  @Test func aRegistryWithoutASandboxHasNone() {
    #expect(CoderRegistry.everything.sandboxScope == .off)
    #expect(CoderRegistry.everything.sandbox == nil)
  }
}
