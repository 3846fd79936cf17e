/** `simsight completion SHELL`: a script made of the table of commands, which needs no start of Simsight to complete a word. */
import {
  allOptions,
  choice,
  exitCodes,
  helpHint,
  parse,
  print,
  shellQuoted,
  usageError,
  type Command,
  type Options,
} from './command.ts';
import type { ListedCommand } from './commands.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

interface Flag {
  name: string;
  short: string | undefined;
  takesValue: boolean;
  /** Possible values; empty: a file, or any text. */
  values: readonly string[];
}

/** `loadAll` gives all of them, also this one. */
export function completionCommand(loadAll: () => Promise<readonly ListedCommand[]>): Command {
  return {
    name: 'completion',
    options: {},
    help: `usage: simsight completion ${shells.join('|')}

  bash   simsight completion bash > ~/.local/share/bash-completion/completions/simsight
  zsh    simsight completion zsh > DIR/_simsight, where DIR is in $fpath
  fish   simsight completion fish > ~/.config/fish/completions/simsight.fish
`,
    async run(words) {
      const { positionals } = parse('completion', words, {});
      const [shell, ...more] = positionals;
      if (shell === undefined || more.length > 0)
        throw usageError('completion: one shell is required.', helpHint('completion'));
      print(writers[choice('completion', 'shell', shell, shells)](await loadAll()));
      return exitCodes.ok;
    },
  };
}

const flagsOf = ({ options, values = {} }: Command): Flag[] =>
  Object.entries<Options[string]>(allOptions(options)).map(([name, { type, short }]) => ({
    ...{ name, short, takesValue: type === 'string', values: values[name] ?? [] },
  }));
const namesOf = ({ name, short }: Flag): string[] => [...(short === undefined ? [] : [`-${short}`]), `--${name}`];
/** Positional words that are no files. */
const wordsOf = ({ name }: Command): readonly string[] => (name === 'completion' ? shells : []);

const writers: Record<Shell, (commands: readonly ListedCommand[]) => string> = {
  bash: (commands) => {
    const cases = commands.flatMap((command) => {
      const flags = flagsOf(command);
      return [
        `  ${command.name})`,
        `    flags="${flags.flatMap(namesOf).join(' ')}"`,
        `    words="${wordsOf(command).join(' ')}"`,
        `    case $previous in`,
        ...flags
          .filter(({ values }) => values.length > 0)
          .map((flag) => `    ${namesOf(flag).join('|')}) values="${flag.values.join(' ')}" ;;`),
        ...takersOf(flags).map((names) => `    ${names}) takes=1 ;;`),
        `    esac ;;`,
      ];
    });
    return `# bash completion for simsight
_simsight() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local flags="" words="" values="" takes=""
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  if [[ $values ]]; then COMPREPLY=($(compgen -W "$values" -- "$current"))
  elif [[ $takes ]]; then COMPREPLY=($(compgen -f -- "$current"))
  elif [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  else COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _simsight simsight
`;
  },

  zsh: (commands) => {
    const cases = commands.map((command) => {
      const specs = flagsOf(command).flatMap((flag) =>
        namesOf(flag).map((name) => {
          const action = flag.values.length > 0 ? `:${flag.name}:(${flag.values.join(' ')})` : `:${flag.name}:_files`;
          return shellQuoted(`*${name}${flag.takesValue ? action : ''}`);
        }),
      );
      const rest = wordsOf(command).length > 0 ? `*:word:(${wordsOf(command).join(' ')})` : '*:file:_files';
      return `    ${command.name}) _arguments ${[...specs, shellQuoted(rest)].join(' ')} ;;`;
    });
    const list = commands.map(({ name, summary }) => shellQuoted(`${name}:${summary.replaceAll(':', ' –')}`));
    return `#compdef simsight
_simsight() {
  local -a commands=(${list.join('\n    ')})
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _simsight ]]; then _simsight "$@"; else compdef _simsight simsight; fi
`;
  },

  fish: (commands) => {
    const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
    const lines = commands.flatMap((command) => {
      const here = `complete -c simsight -n '__fish_seen_subcommand_from ${command.name}'`;
      return [
        `complete -c simsight -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
        ...flagsOf(command).map(({ name, short, takesValue, values }) => {
          const given = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : '';
          return `${here}${short === undefined ? '' : ` -s ${short}`} -l ${name}${given}`;
        }),
        ...(wordsOf(command).length > 0 ? [`${here} -f -a ${quoted(wordsOf(command).join(' '))}`] : []),
      ];
    });
    return `# fish completion for simsight\n${lines.join('\n')}\n`;
  },
};

/** Flags whose value is a file, or anything. */
function takersOf(flags: readonly Flag[]): string[] {
  const names = flags.filter(({ takesValue, values }) => takesValue && values.length === 0).flatMap(namesOf);
  return names.length > 0 ? [names.join('|')] : [];
}
