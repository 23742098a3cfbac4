"""Codex: a whole turn against the scripted model.

`codex exec` has nobody to ask, so the snippet's mode is changed as its note says.
"""

from lib.turn import play, scripted, version


def main() -> None:
    with scripted() as model:
        settings = [
            'mcp_servers.ql.default_tools_approval_mode="approve"',
            'model="scripted"', 'model_provider="scripted"',
            f'model_providers.scripted={{name="scripted",base_url="{model.url}/v1",wire_api="responses"}}',
        ]
        options = [word for setting in settings for word in ("-c", setting)]
        play(["codex", "exec", "--skip-git-repo-check", *options], model)
    print(version(["codex", "--version"], -1))


main()
